"""Pictures of the committee edition as SVG: there at once, without a script, and sharp in print."""
