"""Soft manipulators: definitions, elastic chains, tendons, statics and calibration."""
