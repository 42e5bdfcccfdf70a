"""What search engines and RAG tools answer and export: responses, records, rated sets, tables of Quepid."""
