"""What nodes share: parameters, quality of service, how they run."""
