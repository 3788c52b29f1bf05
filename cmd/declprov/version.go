package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the release build: -ldflags "-X main.version=1.2.3".
var version string

// buildInfo describes this binary.
type buildInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	CUE      string `json:"cue"`
}

func readBuildInfo() buildInfo {
	b := buildInfo{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	for _, dep := range info.Deps {
		if dep.Path == "cuelang.org/go" {
			b.CUE = dep.Version
		}
	}
	return b
}

func versionCommand(a *app) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of declprov",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			b := readBuildInfo()
			if asJSON {
				return writeJSON(a.out, b)
			}
			_, err := fmt.Fprintf(a.out, "declprov %s %s (%s, CUE %s)\n", b.Version, b.Platform, b.Go, b.CUE)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// noArguments checks that a command has no arguments.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s accepts no arguments, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}
