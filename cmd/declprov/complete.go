package main

import (
	"github.com/spf13/cobra"
)

// completeSpecs lets the shell complete the path of a spec: it returns the extensions of specs.
func completeSpecs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"cue", "yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeSpec is completeSpecs for a command that takes one spec: it completes only the first
// argument.
func completeSpec(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeSpecs(cmd, args, prefix)
}

// completeFolder completes a folder as the second argument.
func completeFolder(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// mustComplete registers the completion of the values of a flag.
func mustComplete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err)
	}
}
