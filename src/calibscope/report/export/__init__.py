"""A study for other tools: an Excel workbook, or a folder of Parquet or CSV files."""
