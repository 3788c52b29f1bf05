package main

import "log/slog"

func openCache(log *slog.Logger) *int { return nil }
