package language

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofDocuments are the promises about specs that are made from OpenAPI documents.
func ofDocuments() []mutant.Mutant {
	const lives = "A spec from an OpenAPI document lives against its server without corrections"
	const golden = "if this is intended"
	const folder = "cmd/declprov/internal/openapi"
	return []mutant.Mutant{
		{
			Promise: "A document that tools have written can be read", Mechanism: "what is JSON is read as JSON",
			File:    folder + "/json.go",
			Find:    `start[0] == '{'`,
			Replace: `start[0] == 0`,
			Package: folder, Test: "TestJSON", Fails: "surrogates",
		},
		{
			Promise: "A document that tools have written can be read", Mechanism: "paths that differ in the names of parameters are one path",
			File:    folder + "/paths.go",
			Find:    `		shape := shapeOf(path)`,
			Replace: `		shape := path`,
			Package: folder, Test: "TestSpecs/products.yaml", Fails: golden,
		},
		{
			Promise: lives, Mechanism: "operations with a path of their own belong to the object",
			File:    folder + "/elsewhere.go",
			Find:    `for _, verb := range verbs[kind] {`,
			Replace: `for _, verb := range verbs["none"] {`,
			Package: folder, Test: "TestSpecs/products.yaml", Fails: golden,
		},
		{
			Promise: lives, Mechanism: "an input that the API may fill in is an output, too",
			File:    folder + "/filled.go",
			Find:    `!isEmpty && !promises(b))`,
			Replace: `!isEmpty && false)`,
			Package: folder, Test: "TestSpecs/products.yaml", Fails: golden,
		},
		{
			Promise: lives, Mechanism: "the id may have another name in the response to the create",
			File:    folder + "/resource.go",
			Find:    `			b.madeID = m.name`,
			Replace: `			_ = m.name`,
			Package: folder, Test: "TestSpecs/products.yaml", Fails: golden,
		},
		{
			Promise: lives, Mechanism: "what is next to a reference holds, too",
			File:    folder + "/view.go",
			Find:    `own.exists() && depth > 0`,
			Replace: `own.exists() && depth < 0`,
			Package: folder, Test: "TestSpecs/products.yaml", Fails: golden,
		},
		{
			Promise: lives, Mechanism: "an object of several kinds has the members of all",
			File:    folder + "/variants.go",
			Find:    `	if len(objects) == 0 {`,
			Replace: `	if len(objects) >= 0 {`,
			Package: folder, Test: "TestSpecs/products.yaml", Fails: golden,
		},
		{
			Promise: lives, Mechanism: "an update repeats the id that its body requires",
			File:    folder + "/resource.go",
			Find:    `	if sentAs := b.changed.member(b.id.name); sentAs != nil &&`,
			Replace: `	if sentAs := b.changed.member(b.id.name); sentAs != nil && !b.chosen &&`,
			Package: "tests/openapi", Test: "TestGeneratedAPIs/202", Fails: "missing name",
		},
	}
}
