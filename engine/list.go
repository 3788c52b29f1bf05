package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/declprov/declprov/engine/run/operation"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
)

// List yields the existing resources of a type, one by one; an error ends it.
func (e *Engine) List(ctx context.Context, req ListRequest) iter.Seq2[Listed, error] {
	return func(yield func(Listed, error) bool) {
		if err := e.list(ctx, req, func(l Listed) bool { return yield(l, nil) }); err != nil {
			yield(Listed{}, err)
		}
	}
}

func (e *Engine) list(ctx context.Context, req ListRequest, yield func(Listed) bool) error {
	res, err := e.program.Resource(req.Type)
	if err != nil {
		return err
	}
	l := res.List
	if l == nil {
		return fmt.Errorf("%s cannot be listed: its spec has no `list`", req.Type)
	}
	f := value.Findings{Context: scope.BeforeSending(ctx)}
	query := l.Inputs.Complete(property.New(req.Query), "", &f).AsMap()
	if f.List != nil {
		return fmt.Errorf("the inputs of the list are wrong: %s: %s", f.List[0].Path, f.List[0].Reason)
	}
	r := e.resources.New(ctx, res, &plan.Operation{Steps: []*plan.Step{l.Step}}, plan.List, req.Ref, req.Log)
	r.SetObject("inputs", l.Inputs, query)
	r.Limit = req.Limit
	if err := r.Open(); err != nil {
		return err
	}
	if l.Step.Timeout == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, operation.DefaultListTimeout,
			fmt.Errorf("the list took longer than %s (the default; give `list` a `timeout` to wait longer): %w", operation.DefaultListTimeout, context.DeadlineExceeded))
		defer cancel()
	}
	if err := r.Steps(ctx); err != nil {
		return r.Mask().Error(err)
	}
	items, err := r.Evaluate(l.Items)
	if err != nil {
		return r.Mask().Error(r.Locate(err))
	}
	if path, ok := operation.MapOfObjects(items.Marked); ok && path == "" {
		return r.Mask().Error(fmt.Errorf("`items` of the list yields a map, whose values are the objects%s. Write `items: \"${values(…)}\"` in a list next to rest; "+
			"or `items: \"${entries(…)}\"`, with `each.value.key` and `each.value.value`, if only the keys are the ids (%s)", value.ListMembers(items.Plain), r.Place(l.Step.At)))
	}
	if _, ok := items.Plain.([]any); !ok && items.Plain != nil {
		return r.Mask().Error(fmt.Errorf("`items` of the list yields %s%s. Name the member that contains the objects: `items: \"NAME\"` in rest, and `items: \"${body.NAME}\"` in list (%s)",
			actions.KindOf(items.Plain), value.ListMembers(items.Plain), r.Place(l.Step.At)))
	}
	whole, err := yieldItems(ctx, r, l, items, req.Limit, yield)
	if why := r.WhyPartial(l.Step); whole && why != "" {
		r.Log.Message(operation.Warning, "the list is not complete: "+why)
	}
	return err
}

// yieldItems yields the items of a response, at most limit if that is not 0. whole is true if it has
// yielded all of them.
func yieldItems(ctx context.Context, r *operation.Run, l *plan.Lister, items scope.Evaluated, limit int, yield func(Listed) bool) (whole bool, err error) {
	var elements []scope.Element
	if items.Plain != nil {
		elements, _, _ = scope.Elements(items.Marked)
	}
	for i, el := range elements {
		if limit > 0 && i >= limit {
			return false, nil
		}
		if err := stop.Err(ctx); err != nil {
			return false, r.Mask().Error(fmt.Errorf("item %d of the list: %w", i, err))
		}
		r.Set("each", map[string]any{"key": el.Key, "value": el.Value})
		one, err := listed(r, l)
		if err != nil {
			return false, r.Mask().Error(fmt.Errorf("item %d of the list: %w", i, r.Locate(err)))
		}
		if !yield(one) {
			return false, nil
		}
	}
	return true, nil
}

// listed is one element as a host sees it; its name is its id where `name` says
// nothing.
func listed(r *operation.Run, l *plan.Lister) (Listed, error) {
	id, err := r.PublicText(l.ID, "the id")
	if err != nil {
		return Listed{}, err
	}
	if err := value.CheckID(id, "its id"); err != nil {
		return Listed{}, err
	}
	if id == "" {
		item := r.Marked("each", "value")
		if _, ok := item.(string); ok {
			return Listed{}, errors.New("it has no id: it is a text, and has no members. If it is the name of an object, write a `list` with that as the id, next to rest if there is one: `id: \"${each.value}\"`, after the parents")
		}
		return Listed{}, fmt.Errorf("it has no id: `id` of the list yields nothing%s", value.ListMembers(item))
	}
	name, err := r.PublicText(l.Name, "the name")
	if name == "" {
		name = id
	}
	return Listed{ID: id, Name: screen.Exact(name)}, err // nothing is found by its name
}
