"""Views of tools: servers, calls and permissions."""
