package table

// ofSecrets are the mechanisms that keep secrets out of sight.
func ofSecrets() []Mutant {
	return []Mutant{
		{
			Complaint: 3, Promise: "A secret shows nowhere",
			Mechanism: "an output that is declared @secret() is one",
			File:      "engine/project.go",
			Find:      `value.WithSecret(value.Secret() || p.Secret || p.Ephemeral)`,
			Replace:   `value`,
			Package:   complaints, Test: "TestComplaint03SecretsInTheOpen", Fails: "key is in the open",
		},
		{
			Complaint: 3, Promise: "A secret shows nowhere",
			Mechanism: "a value of an answer that equals a secret is one",
			File:      "engine/project.go",
			Find:      `property.New(v).WithSecret(m.holds(v))`,
			Replace:   `property.New(v)`,
			Package:   complaints, Test: "TestComplaint03SecretsInTheOpen", Fails: "echo is in the open",
		},
		{
			Complaint: 3, Promise: "A secret shows nowhere",
			Mechanism: "errors are masked",
			File:      "engine/mask.go",
			Find:      `if text := m.text(err.Error()); text != err.Error() {`,
			Replace:   `if text := m.text(err.Error()); false {`,
			Package:   complaints, Test: "TestComplaint03SecretsInTheOpen", Fails: "the error after 200 is",
		},
		{
			Complaint: 3, Promise: "A secret shows nowhere",
			Mechanism: "what the host marks as secret is known as such in every operation",
			File:      "engine/plain.go",
			Find:      `		secret.add(path, v)`,
			Replace:   ``,
			Package:   complaints, Test: "TestComplaint03SecretsInTheOpen", Fails: "the error after 200 is",
		},
		{
			Promise:   "A secret shows nowhere",
			Mechanism: "a secret is masked inside what is encoded in base64, too",
			File:      "engine/mask_forms.go",
			Find:      `for before := range 3 {`,
			Replace:   `for before := range 0 {`,
			Package:   "engine", Test: "TestMaskForms", Fails: "a shifted basic: ",
		},
		{
			Promise:   "A secret shows nowhere",
			Mechanism: "what stands in the place of a secret input among the outputs is secret",
			File:      "engine/create.go",
			Find:      `all[name] = asSecret(value, inputs.Get(name))`,
			Replace:   `all[name] = value`,
			Package:   "engine", Test: "TestInputThatBecomesSecret", Fails: "-want +got",
		},
		{
			Promise:   "A secret shows nowhere",
			Mechanism: "the kept answers of a create that stopped halfway are secret",
			File:      "engine/create.go",
			Find:      `out.Secret = len(out.Results) > 0 || len(out.Elements) > 0 || property.New(inputs).HasSecrets()`,
			Replace:   `out.Secret = property.New(inputs).HasSecrets()`,
			Package:   "engine", Test: "TestUnfinishedIsSecret", Fails: "kept as",
		},
		{
			Promise:   "A secret shows nowhere",
			Mechanism: "vet refuses a declared secret where others can read it",
			File:      "engine/compile.go",
			Find:      `if v != nil && decl.Exposed && v.Secret() {`,
			Replace:   `if false {`,
			Package:   "tests/mistakes", Test: "TestAlone/cue/secret", Fails: "secret-exposed",
		},
		{
			Promise:   "A secret shows nowhere",
			Mechanism: "Check refuses a value that the user made secret where others can read it",
			File:      "engine/compile_rules.go",
			Find:      `			sinks = append(sinks, sink{path: ref.Path[1:], what: what})`,
			Replace:   `_ = sink{path: ref.Path[1:], what: what}`,
			Package:   "engine", Test: "TestSecretsOfUndoAndFind", Fails: "may not be secret",
		},
	}
}
