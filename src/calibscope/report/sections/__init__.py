"""What pages say: documents and their sections, built once for every rendering."""
