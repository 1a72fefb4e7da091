"""The strict pack for execution graphs of schema doppler.execution/v1."""
