package complaints

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofExchanges are the complaints about what can be asked of a server, and what is
// understood of its answers.
func ofExchanges() []mutant.Mutant {
	return []mutant.Mutant{
		{
			Complaint: 4, Promise: "What a server does later is waited for",
			Mechanism: "`until` polls",
			File:      "engine/run/verdict/verdict.go",
			Find:      `	v.Pending = !done`,
			Replace:   `	v.Pending = false && done`,
			Package:   mutant.Complaints, Test: "TestComplaint04Async", Fails: "1 polls",
		},
		{
			Complaint: 5, Promise: "What was just made may take its time to be found",
			Mechanism: "after a create, not found is asked again for as long as `consistency` says",
			File:      "engine/run/outputs.go",
			Find: `			missing = err
			return false, nil`,
			Replace: `			missing = err
			return true, err`,
			Package: mutant.Complaints, Test: "TestComplaint05ReadAfterCreate", Fails: "it is gone",
		},
		{
			Complaint: 7, Promise: "A list is read to its end",
			Mechanism: "`paginate: page` asks for the next number",
			File:      "actions/http/paginate.go",
			Find:      `p.firstPage() + before`,
			Replace:   `p.firstPage()`,
			Package:   mutant.Complaints, Test: "TestComplaint07AllPages", Fails: "by page there are",
		},
		{
			Complaint: 7, Promise: "A list is read to its end",
			Mechanism: "`paginate: offset` asks from where it is",
			File:      "actions/http/paginate.go",
			Find:      `offset := int64(seen)`,
			Replace:   `offset := int64(0)`,
			Package:   mutant.Complaints, Test: "TestComplaint07AllPages", Fails: "by offset there are",
		},
		{
			Complaint: 7, Promise: "A list is read to its end",
			Mechanism: "`paginate: cursor` asks with what the answer gives",
			File:      "actions/http/run.go",
			Find:      `return r.prepareNextCursor(req, own, resp)`,
			Replace:   `return false, nil`,
			Package:   mutant.Complaints, Test: "TestComplaint07AllPages", Fails: "by cursor there are",
		},
		{
			Complaint: 7, Promise: "A list is read to its end",
			Mechanism: "`paginate: link` follows the header",
			File:      "actions/http/run.go",
			Find:      `return p.prepareNextLink(req, resp)`,
			Replace:   `return false, nil`,
			Package:   mutant.Complaints, Test: "TestComplaint07AllPages", Fails: "by link there are",
		},
		{
			Complaint: 9, Promise: "A preview asks what only looks, and does nothing",
			Mechanism: "a step with `preview: true` runs in previews",
			File:      "engine/run/operation/run.go",
			Find:      `if r.Preview && !s.Model.Preview {`,
			Replace:   `if r.Preview {`,
			Package:   mutant.Complaints, Test: "TestComplaint09Preview", Fails: "the preview says <nil>",
		},
		{
			Complaint: 9, Promise: "A preview asks what only looks, and does nothing",
			Mechanism: "no other step runs in previews",
			File:      "engine/run/operation/run.go",
			Find:      `if r.Preview && !s.Model.Preview {`,
			Replace:   `if false {`,
			Package:   mutant.Complaints, Test: "TestComplaint09Preview", Fails: "POST /things",
		},
		body("form", `case "form":`, `case "":`, "form: expected base64"),
		body("text", `case "text":`, `case "":`, "text: it is"),
		body("xml", `case "xml":`, `case "":`, "xml: expected base64"),
		body("graphql", `case "graphql":`, `case "":`, "graphql: expected base64"),
		body("multipart", `case "multipart":`, `case "":`, "multipart: expected base64"),
		body("bytes", `return h.encodeBytes(v)`, `return nil, fmt.Errorf("it is nothing")`, "bytes: it is"),
		{
			Complaint: 15, Promise: "Each operation sends what it needs",
			Mechanism: "`changes` holds what differs, and no more",
			File:      "engine/run/update.go",
			Find:      `	changes := u.changes(ctx, state)`,
			Replace: `	changes := u.changes(ctx, state)
	for _, m := range u.res.Inputs.Fields {
		if !m.Replace {
			changes = append(changes, value.Change{Path: m.Name, Kind: value.Update})
		}
	}`,
			Package: mutant.Complaints, Test: "TestComplaint15Payloads", Fails: "PATCH",
		},
		{
			Complaint: 15, Promise: "Each operation sends what it needs",
			Mechanism: "a delete knows the state, outputs too",
			File:      "engine/run/view/view.go",
			Find: `	v.setState(s, filled)
	v.TakeID(recorded.CurrentID(s))`,
			Replace: `	v.TakeID(recorded.CurrentID(s))`,
			Package: mutant.Complaints, Test: "TestComplaint15Payloads", Fails: "serial",
		},
		{
			Complaint: 18, Promise: "A delete is verified, and may be repeated",
			Mechanism: "what is not there needs no deleting",
			File:      "engine/run/operation/run.go",
			Find:      `(r.Verb == plan.Delete || r.Undoing) && err != nil && StatusOf(err) == actions.Gone`,
			Replace:   `r.Undoing && err != nil && StatusOf(err) == actions.Gone`,
			Package:   mutant.Complaints, Test: "TestComplaint18Delete", Fails: "again: ",
		},
		{
			Complaint: 18, Promise: "A delete is verified, and may be repeated",
			Mechanism: "a step after it polls until it is gone",
			File:      "engine/run/verdict/verdict.go",
			Find:      `	v.Pending = !done`,
			Replace:   `	v.Pending = false && done`,
			Package:   mutant.Complaints, Test: "TestComplaint18Delete", Fails: "1 looks",
		},
		{
			Complaint: 22, Promise: "An answer may have any shape, or none",
			Mechanism: "an answer without a body is null",
			File:      "actions/http/verdict/response.go",
			Find:      `if len(resp.Raw) == 0 || form == "none" {`,
			Replace:   `if form == "none" {`,
			Package:   mutant.Complaints, Test: "TestComplaint22Shapes", Fails: "cannot be decoded as JSON",
		},
		{
			Complaint: 22, Promise: "An answer may have any shape, or none",
			Mechanism: "a body is any JSON value, not only an object",
			File:      "spec/decode/json.go",
			Find:      `	return exactNumber(v), nil`,
			Replace: `	if _, ok := v.(map[string]any); !ok {
		return nil, errors.New("it is no object")
	}
	return exactNumber(v), nil`,
			Package: mutant.Complaints, Test: "TestComplaint22Shapes", Fails: "it is no object",
		},
		{
			Complaint: 24, Promise: "Templates are the same everywhere",
			Mechanism: "the parts of a path are evaluated as any argument is",
			File:      "engine/run/arguments/arguments.go",
			Find:      `spec.Part{Text: p.Text, Literal: p.Literal})`,
			Replace:   `spec.Part{Text: "x", Literal: p.Literal})`,
			Package:   mutant.Complaints, Test: "TestComplaint24Templates", Fails: `"/A-3"`,
		},
		{
			Complaint: 24, Promise: "Templates are the same everywhere",
			Mechanism: "every other argument is evaluated, with all that is in it",
			File:      "engine/run/arguments/arguments.go",
			Find:      `	v := out.Plain`,
			Replace: `	v := out.Plain
	if name == "query" || name == "headers" || name == "json" {
		v = a.Node.Plain()
	}`,
			Package: mutant.Complaints, Test: "TestComplaint24Templates", Fails: `"q=A-3"`,
		},
	}
}

// body is a row of the kind of body that a request may have.
func body(kind, find, replace, fails string) mutant.Mutant {
	return mutant.Mutant{
		Complaint: 12, Promise: "A request may have any kind of body",
		Mechanism: "`" + kind + "` makes a body",
		File:      "actions/http/request/body.go", Find: find, Replace: replace,
		Package: mutant.Complaints, Test: "TestComplaint12Bodies", Fails: fails,
	}
}
