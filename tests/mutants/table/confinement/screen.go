package confinement

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofScreens are the mechanisms that every text passes before it is shown.
func ofScreens() []mutant.Mutant {
	const promise = "What is shown steers nothing, is short, and has no secret in it"
	return []mutant.Mutant{
		{
			Promise:   promise,
			Mechanism: "an id that would steer the screen is not recorded",
			File:      "engine/value/recordable.go",
			Find:      `	case at < len(id):`,
			Replace:   `	case at < len(id) && false:`,
			Package:   "tests/outside", Test: "TestSteeringIDs", Fails: "create:",
		},
		{
			Promise:   promise,
			Mechanism: "inputs that make such an id are refused before anything is sent",
			File:      "engine/run/create.go",
			Find:      `	if err := operation.PrecheckID(r.Run); err != nil {`,
			Replace:   `	if err := operation.PrecheckID(r.Run); err != nil && false {`,
			Package:   "tests/outside", Test: "TestSteeringIDs", Fails: "something was made",
		},
		{
			Promise:   promise,
			Mechanism: "every reply passes one exit",
			File:      "engine/pulumi/guard.go",
			Find:      `	defer func() { res, err = g.screenReply(ctx, req, res, err) }() // also for a panic`,
			Replace:   ``,
			Package:   "engine/pulumi", Test: "TestNothingSteersTheScreen/check_of_the_spec", Fails: "it steers",
		},
		{
			Promise:   promise,
			Mechanism: "the exit masks the secrets of the configuration and of the request",
			File:      "engine/pulumi/screen_reply.go",
			Find:      `return session.engine.Mask(values...)`,
			Replace:   `return nil`,
			Package:   "engine/pulumi", Test: "TestSecretsDoNotLeave/check_of_an_unknown_input", Fails: "a secret shows",
		},
		{
			Promise:   promise,
			Mechanism: "colour tags of Pulumi's are shown as text",
			File:      "spec/screen/visible.go",
			Find:      `b.WriteString(markupShown)`,
			Replace:   `b.WriteString(markup)`,
			Package:   "spec/screen", Test: "TestVisible", Fails: "is shown as",
		},
		{
			Promise:   promise,
			Mechanism: "the middle of a long text is left out",
			File:      "spec/screen/screen.go",
			Find:      `func Show(text string, hide *Mask) Text { return Text{truncate(Visible(hide.maskEnds(text)))} }`,
			Replace:   `func Show(text string, hide *Mask) Text { return Text{Visible(hide.maskEnds(text))} }`,
			Package:   "spec/screen", Test: "TestShowKeepsTheEnd", Fails: "bytes",
		},
		{
			Promise:   promise,
			Mechanism: "escapes are undone as often as they were made",
			File:      "spec/screen/normal.go",
			Find:      `const mostLevels = 4`,
			Replace:   `const mostLevels = 0`,
			Package:   "spec/screen", Test: "TestMaskForms", Fails: "no more",
		},
		{
			Promise:   promise,
			Mechanism: "no error text pushes a property out of what is recorded",
			File:      "engine/pulumi/failure.go",
			Find:      `return all <= largestDetail && all-own <= largestOutputs`,
			Replace:   `return all <= largestOutputs+0*own`,
			Package:   "engine/pulumi", Test: "TestNoTextPushesAPropertyOut", Fails: "left out",
		},
		{
			Promise:   promise,
			Mechanism: "a missing setting names the command that sets it",
			File:      "engine/pulumi/setting.go",
			Find:      `"\n" + remedy(program, setting)`,
			Replace:   `""`,
			Package:   "engine/pulumi", Test: "TestMissingKeys", Fails: "CheckConfig",
		},
		{
			Promise:   promise,
			Mechanism: "a long beginning of a secret is masked anywhere",
			File:      "spec/screen/finder.go",
			Find:      ` || n >= shortestPart ||`,
			Replace:   ` || false ||`,
			Package:   "spec/screen", Test: "TestMaskOfParts", Fails: "Duplicate entry",
		},
		{
			Promise:   promise,
			Mechanism: "the beginning of a secret is masked before the sign of a cut",
			File:      "spec/screen/finder.go",
			Find:      ` || n >= shortestHeld && isCut(text[at+n:])`,
			Replace:   ` || n >= shortestHeld && isCut(text[at+n:]) && false`,
			Package:   "spec/screen", Test: "TestMaskOfParts", Fails: "before ",
		},
		{
			Promise:   promise,
			Mechanism: "a body whose rest is missing is marked",
			File:      "actions/http/verdict/response.go",
			Find:      `	if incomplete {`,
			Replace:   `	if false {`,
			Package:   "actions/http", Test: "TestSecretsInCutResponses", Fails: "cut at 4",
		},
		{
			Promise:   "An archive of a version never changes",
			Mechanism: "an archive that another process has written meanwhile is not replaced",
			File:      "cmd/declprov/internal/archive/publish.go",
			Find:      `	err = install.WriteNewFile(`,
			Replace:   `	err = install.WriteFile(`,
			Package:   "cmd/declprov/internal/archive", Test: "TestWriteDoesNotReplace", Fails: "another spec",
		},
	}
}
