"""What can be quoted: one instrument a file, each a handful of options on cash flows."""
