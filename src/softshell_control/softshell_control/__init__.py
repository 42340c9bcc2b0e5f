"""What all bridges share: the safety gate, trajectory following, PD control, the bridge itself."""
