"""Tests of models: files, tokenizers, architecture tables, first manifests."""
