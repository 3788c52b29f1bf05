package table

// ofGrants are the mechanisms that keep a spec to what `declprov permissions` says.
func ofGrants() []Mutant {
	const promise = "A spec does what its permissions say"
	row := func(mechanism, file, find, replace, in, test, fails string) Mutant {
		return Mutant{Promise: promise, Mechanism: mechanism, File: file, Find: find, Replace: replace, Package: in, Test: test, Fails: fails}
	}
	return []Mutant{
		row("a default that decides a grant is a part of it", "engine/permissions_compare.go",
			`		return slices.EqualFunc(g.Settings, other.Settings, Setting.equal)`, `		return true`,
			"engine", "TestGrantsBeyond", "config.root"),
		row("programs that are bound less are more", "engine/permissions_compare.go",
			`	case looser(other.Confined, g.Confined):`, `	case false:`,
			"engine", "TestGrantsBeyond", "{run sh"),
		row("what is installed is compared with what was", "cmd/declprov/install_ask.go",
			`	if len(d.More) == 0 {`, `	if len(d.More) >= 0 {`,
			"tests/grants", "TestInstallAsks/no", "asked: false, want true"),
	}
}
