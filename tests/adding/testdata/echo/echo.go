// Package echo is a family of actions that say back what they are told. It is added to the
// binary from outside, as CONTRIBUTING says, by a test.
package echo

import (
	"context"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
)

// Family is the declaration of the echo actions.
func Family() *actions.Family {
	return &actions.Family{
		Name: "echo", Summary: "Says back what it is told.", Schemes: []string{"parrot"},
		Declare: func() ([]actions.Arg, []*actions.Kind) {
			loud := declare.Option("loud", declare.Bool(), false, "Whether each text ends in an exclamation mark.")
			return []actions.Arg{loud}, []*actions.Kind{kind("say", actions.Write, loud), kind("recall", actions.None, loud)}
		},
	}
}

func kind(name string, effect actions.Effect, loud actions.Arg) *actions.Kind {
	text := declare.Arg("text", declare.NonEmpty(), "What is said back.")
	text.Required = true
	return &actions.Kind{
		Name: name, Summary: "Says back a text.", Args: []actions.Arg{text, loud},
		Analyze: func(actions.Static) actions.Facts {
			return actions.Facts{Effect: effect, Result: declare.Object(
				declare.Member("text", declare.Text(), "The text."),
				declare.Member("length", declare.Int(), "Its length in bytes."),
			)}
		},
		Examples: []actions.Example{{Summary: "A greeting", Spec: `echo: ` + name + `: text: "hello"`}},
		Run:      run,
	}
}

func run(_ context.Context, call *actions.Call) actions.Outcome {
	var args struct {
		Text string `arg:"text"`
		Loud bool   `arg:"loud"`
	}
	if err := call.Decode(&args); err != nil {
		return actions.Refuse(err)
	}
	if args.Loud {
		args.Text += "!"
	}
	return actions.Succeed(map[string]any{"text": args.Text, "length": int64(len(args.Text))})
}
