package try

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/spec"
)

// original is what a singleton was before the trial, by the text of its import.
type original struct {
	text   string
	inputs property.Map
}

// keepOriginal reads a singleton before a create changes it, for the end of the trial.
func keepOriginal(ctx context.Context, l *life) error {
	text, ok := l.plan.ImportID("", l.checked, l.settings)
	if !ok {
		return nil // its id needs no response, so this is not the case
	}
	for _, o := range l.originals {
		if o.text == text {
			return nil
		}
	}
	now, err := l.client.Lookup(ctx, l.resource, text)
	if err != nil {
		l.heading("read", "failed, so the trial could not restore what the create changes")
		return l.fail(err)
	}
	if now.ID != "" {
		l.originals = append(l.originals, original{text, now.Inputs})
	}
	return nil
}

// restore writes what singletons were before the trial, unless they are that, and reports what it cannot restore.
func restore(ctx context.Context, l *life) error {
	var errs []error
	for _, o := range l.originals {
		errs = append(errs, restoreOne(ctx, l, o))
	}
	return errors.Join(errs...)
}

func restoreOne(ctx context.Context, l *life, o original) error {
	now, err := l.client.Lookup(ctx, l.resource, o.text)
	if err == nil && len(changedSince(l, o, now.Inputs)) > 0 {
		var made client.State
		if made, err = l.client.Create(ctx, l.resource, toRestore(l, o, now.Inputs), client.Operation{}); err == nil {
			_, err = l.client.Read(ctx, l.resource, made, client.Operation{}) // else the next trial does not know whether it was done
		}
		if err == nil {
			now, err = l.client.Lookup(ctx, l.resource, o.text)
		}
	}
	if err != nil {
		l.heading("restore", "failed; "+showText(o.text)+" may have values of the trial")
		return l.fail(err)
	}
	l.heading("restore", "id "+showText(o.text))
	for _, name := range changedSince(l, o, now.Inputs) {
		text := fmt.Sprintf("%s: it was %s before the trial, and is %s", name, show(o.inputs.Get(name)), show(now.Inputs.Get(name)))
		if l.plan.Resource.Inputs.Field(name).NoRead {
			text = name + ": the trial has changed it, and read does not return what it was"
		}
		l.finding(codeNotRestored, text, "Set it again.")
	}
	return nil
}

// toRestore returns the inputs that restore a singleton. A create that leaves what it does not contain gets no more than it must: the server
// may have shown a mask in place of a password, which nobody should send.
func toRestore(l *life, o original, now property.Map) property.Map {
	inputs := o.inputs
	if !keepsTheRest(l.plan.Resource.Create) {
		return inputs
	}
	for _, p := range l.plan.Resource.Inputs.Fields {
		if p.Optional() && same(o.inputs.Get(p.Name), now.Get(p.Name)) {
			inputs = inputs.Delete(p.Name)
		}
	}
	return inputs
}

// keepsTheRest reports whether a create of rest leaves what it does not contain: by PATCH, or because it sends the object that it has read.
func keepsTheRest(create *spec.Operation) bool {
	return create.Rest && slices.ContainsFunc(create.Steps, func(s *spec.Step) bool {
		request := s.Actions[0].Value
		method := request.Get("method")
		return method != nil && method.Text == http.MethodPatch || request.Get("jsonUpdate") != nil
	})
}

// changedSince returns the inputs that the trial has sent, and that differ from what they were, or may do so.
func changedSince(l *life, o original, now property.Map) []string {
	var names []string
	for _, p := range l.plan.Resource.Inputs.Fields {
		if l.written[p.Name] && (p.NoRead || !same(o.inputs.Get(p.Name), now.Get(p.Name))) {
			names = append(names, p.Name)
		}
	}
	return names
}
