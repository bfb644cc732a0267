"""Tools as shown: servers, calls and permissions."""
