package component

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// mostParallel is the maximum number of concurrent registrations of one component,
// regardless of the host's setting.
const mostParallel = 64

// errNeeded means that a child was not registered because the registration of another
// child that it depends on failed.
var errNeeded = errors.New("a child that it depends on could not be created")

// children registers all children, each as soon as those that it depends on are
// registered. If one fails, the children that do not depend on it are registered
// nevertheless.
func (b *build) children(ctx context.Context) error {
	b.slots = make(chan struct{}, min(max(b.req.Parallel, 1), mostParallel))
	done := map[string]chan struct{}{}
	failed := make([]error, len(b.req.Component.Children))
	index := map[string]int{}
	for i, ch := range b.req.Component.Children {
		done[ch.Key], index[ch.Key] = make(chan struct{}), i
	}
	var all sync.WaitGroup
	for i, ch := range b.req.Component.Children {
		all.Go(func() {
			defer close(done[ch.Key])
			for _, key := range ch.Needs {
				<-done[key]
				if failed[index[key]] != nil {
					failed[i] = errNeeded
					return
				}
			}
			if err := b.child(ctx, ch); err != nil {
				failed[i] = fmt.Errorf("child %q: %w", ch.Key, err)
			}
		})
	}
	all.Wait()
	return errors.Join(slices.DeleteFunc(failed, func(err error) bool { return errors.Is(err, errNeeded) })...)
}

// child registers one child, or one resource for each element.
func (b *build) child(ctx context.Context, ch *plan.Child) error {
	if ch.ForEach == nil {
		one, err := b.instance(ctx, ch, nil)
		b.put(ch, &settled{one: one})
		return err
	}
	over, err := b.eval(ch.ForEach, nil)
	if err != nil {
		return err
	}
	elements, listed, err := elementsOf(over, ch.Keyed)
	if errors.Is(err, scope.ErrNotKnown) && b.req.Preview {
		b.warnUnknown(ch, "how many there will be")
		b.put(ch, &settled{unknown: true})
		return nil
	}
	if err != nil {
		return err
	}
	out := &settled{listed: listed, each: make([]*instance, len(elements)), keys: make([]string, len(elements))}
	failed := make([]error, len(elements))
	var all sync.WaitGroup
	for i, el := range elements {
		out.keys[i] = el.Text
		all.Go(func() {
			one, err := b.instance(ctx, ch, &el)
			if err != nil {
				failed[i] = fmt.Errorf("%s: %w", out.keys[i], err)
			}
			out.each[i] = one
		})
	}
	all.Wait()
	b.put(ch, out)
	return errors.Join(failed...)
}

// elementsOf returns the elements of forEach in order, and whether it is over a list. Null
// is an empty list, or an empty map if keyed is true.
func elementsOf(over any, keyed bool) (elements []scope.Element, listed bool, err error) {
	plain := over
	s, secret := over.(expr.Secret)
	if secret {
		plain = s.Value
	}
	switch plain.(type) {
	case nil:
		return nil, !keyed, nil
	case expr.Unknown:
		return nil, false, fmt.Errorf("forEach: %w", scope.ErrNotKnown)
	case map[string]any:
		if secret {
			return nil, false, errors.New("forEach: the map is secret, but its keys would become public names; use a map that is not secret")
		}
	}
	return scope.Elements(over)
}

// warnUnknown warns that children are missing from a preview.
func (b *build) warnUnknown(ch *plan.Child, what string) {
	if b.req.Warn == nil {
		return
	}
	text := fmt.Sprintf("child %q is not in this preview: %s is not known until its dependencies exist", ch.Key, what)
	b.req.Warn(screen.Show(text, b.mask()))
}

// instance registers one resource of a child. It returns nil if `if` is false.
func (b *build) instance(ctx context.Context, ch *plan.Child, el *scope.Element) (*instance, error) {
	if ch.When != nil {
		out, err := b.eval(ch.When, el)
		if err != nil {
			return nil, fmt.Errorf("if: %w", err)
		}
		switch v := expr.Reveal(out, nil).(type) {
		case bool:
			if !v {
				return nil, nil
			}
		case expr.Unknown:
			if !b.req.Preview {
				return nil, fmt.Errorf("if: %w", scope.ErrNotKnown)
			}
			b.warnUnknown(ch, "whether it will be there")
			return &instance{unknown: true}, nil
		default:
			return nil, fmt.Errorf("if: expected true or false, got %s", actions.KindOf(v))
		}
	}
	r, err := b.registration(ch, el)
	if err != nil {
		return nil, err
	}
	select {
	case b.slots <- struct{}{}:
		defer func() { <-b.slots }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return nil, scope.Cause(ctx)
	}
	got, err := b.req.Registrar.Register(ctx, r)
	if err != nil {
		return nil, err
	}
	return b.instanceOf(ch, got), nil
}

// instanceOf returns a registered resource as templates see it.
func (b *build) instanceOf(ch *plan.Child, got Registered) *instance {
	values := map[string]property.Value{"urn": property.New(string(got.URN))}
	for name, v := range got.Outputs.All {
		if !strings.HasPrefix(name, "__") {
			values[name] = v // other names are reserved for the host
		}
	}
	if !ch.Component {
		values["id"] = property.New(property.Computed)
		if got.ID != "" {
			values["id"] = property.New(got.ID)
		}
	}
	for _, name := range ch.AwaitedMembers(got.Unknown, b.req.Preview) {
		if _, ok := values[name]; !ok {
			values[name] = property.New(property.Computed)
		}
	}
	return &instance{urn: got.URN, outputs: property.NewMap(values)}
}
