"""The tools that Inview itself offers to models."""
