package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
)

// Inputs are what a program says of a resource.
type Inputs struct {
	Name, Colour, Text string
	Size               int
}

func (i Inputs) properties() property.Map {
	return property.NewMap(map[string]property.Value{
		"name": property.New(i.Name), "colour": property.New(i.Colour), "text": property.New(i.Text), "size": property.New(float64(i.Size)),
	})
}

// Program is what a stack's user wants: resources by slot, in the order of Slots.
type Program map[string]Inputs

// Recorded is a resource of a stack's state.
type Recorded struct {
	Slot, ID string
	// Serial is the output that tells objects apart, "" where there is none.
	Serial string
	// Failed says that it has init errors, Delete that it waits to be deleted.
	Failed, Delete bool
}

func (r Recorded) String() string {
	text := r.Slot + " " + r.ID
	if r.Failed {
		text += " (failed)"
	}
	if r.Delete {
		text += " (to be deleted)"
	}
	return text
}

// Stack is one user's: a program, a state, and a way to run commands.
type Stack interface {
	// Each runs a command of Pulumi's, and gives what went wrong, as the user
	// sees it.
	Up(Program) []string
	Refresh() []string
	Destroy() []string
	Import(slot, id string) []string
	// Recorded is what the state has.
	Recorded() []Recorded
	// Interrupt cancels the command that runs, for the user presses ^C. Crash
	// ends it without a trace: what the provider says from now on is not
	// recorded. Kill kills the provider.
	Interrupt()
	Crash()
	Kill()
	// URN is how a resource is named to the provider.
	URN(slot string) string
}

// Provider is one that was started for a command.
type Provider interface {
	Client() *client.Client
	Kill()
	Stop()
}

const resourceType = "model:index:Thing"

// Simulated does what Pulumi's engine does with a state (pulumi/pkg,
// resource/deploy): it has a provider of its own for each command.
type Simulated struct {
	name  string
	start func() (Provider, error)

	mu    sync.Mutex // the oracle looks while commands run
	state []*record
	// running is the command's provider; stopped says that the command starts
	// nothing new, crashed that it records nothing more.
	running          Provider
	stopped, crashed bool
	// deleteFirst are the resources that the program says are deleted before they are
	// replaced.
	deleteFirst map[string]bool
}

// DeleteFirst writes `deleteBeforeReplace: true` into the program, for a resource.
func (s *Simulated) DeleteFirst(slot string) {
	if s.deleteFirst == nil {
		s.deleteFirst = map[string]bool{}
	}
	s.deleteFirst[slot] = true
}

// record is a resource of the state.
type record struct {
	slot   string
	state  client.State
	failed bool
	delete bool
}

// patience is the longest that any call may take; none gets near.
const patience = 30 * time.Second

// command runs one command with a provider of its own.
func (s *Simulated) command(do func(ctx context.Context, c *client.Client) error) []string {
	p, err := s.start()
	if err != nil {
		return []string{err.Error()}
	}
	defer p.Stop()
	s.change(func() { s.running, s.stopped, s.crashed = p, false, false })
	defer s.change(func() { s.running = nil })
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := do(ctx, p.Client()); err != nil {
		return messages(err)
	}
	return nil
}

// change changes the host's own data.
func (s *Simulated) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// dead reports whether the host has crashed.
func (s *Simulated) dead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.crashed
}

// messages are what a user sees of an error.
func messages(err error) []string {
	var partly *client.InitFailed
	if errors.As(err, &partly) {
		return append([]string{err.Error()}, partly.Reasons...)
	}
	return []string{err.Error()}
}

var errInterrupted = errors.New("the update was interrupted")

// going reports whether the command may start something new.
func (s *Simulated) going() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || s.crashed {
		return errInterrupted
	}
	return nil
}

func (s *Simulated) resource(slot string) client.Resource {
	return client.Resource{Type: resourceType, Name: slot}
}

// Up brings the state to the program.
func (s *Simulated) Up(program Program) []string {
	return s.command(func(ctx context.Context, c *client.Client) error {
		for _, slot := range slots {
			inputs, wanted := program[slot]
			if !wanted {
				continue
			}
			if err := s.going(); err != nil {
				return err
			}
			if err := s.step(ctx, c, slot, inputs.properties()); err != nil {
				return fmt.Errorf("%s: %w", slot, err)
			}
		}
		return s.deletes(ctx, c, func(r *record) bool {
			_, wanted := program[r.slot]
			return r.delete || !wanted
		})
	})
}

// current is the record of a slot that does not wait to be deleted.
func (s *Simulated) current(slot string) *record {
	for _, r := range s.state {
		if r.slot == slot && !r.delete {
			return r
		}
	}
	return nil
}

func (s *Simulated) drop(r *record) {
	s.change(func() { s.state = slices.DeleteFunc(s.state, func(o *record) bool { return o == r }) })
}

// check gives the inputs as the provider checked them.
func (s *Simulated) check(ctx context.Context, c *client.Client, slot string, olds, news property.Map) (property.Map, error) {
	checked, err := c.Check(ctx, s.resource(slot), olds, news)
	if err != nil {
		return property.Map{}, err
	}
	for _, f := range checked.Failures {
		err = errors.Join(err, fmt.Errorf("%s: %s", f.Property, f.Reason))
	}
	return checked.Inputs, err
}

// step is what a program's resource leads to: nothing, a create, an update or a
// replacement.
func (s *Simulated) step(ctx context.Context, c *client.Client, slot string, news property.Map) error {
	r := s.current(slot)
	if r == nil {
		return s.create(ctx, c, slot, news, nil)
	}
	inputs, err := s.check(ctx, c, slot, r.state.Inputs, news)
	if err != nil {
		return err
	}
	diff, err := c.Diff(ctx, s.resource(slot), r.state, inputs)
	switch {
	case err != nil:
		return err
	case diff.Replace() && (diff.DeleteBeforeReplace || s.deleteFirst[slot]):
		if err := s.delete(ctx, c, r); err != nil {
			return err
		}
		if err := s.going(); err != nil {
			return err
		}
		return s.create(ctx, c, slot, news, nil)
	case diff.Replace():
		return s.create(ctx, c, slot, news, r)
	case diff.Changed || r.failed:
		return s.update(ctx, c, r, inputs)
	}
	s.change(func() { r.state.Inputs = inputs })
	return nil
}

// create makes a resource, in the place of another one where that is not nil: then
// the other one waits to be deleted, also where the new one is half made.
func (s *Simulated) create(ctx context.Context, c *client.Client, slot string, news property.Map, old *record) error {
	inputs, err := s.check(ctx, c, slot, property.Map{}, news)
	if err != nil {
		return err
	}
	state, err := c.Create(ctx, s.resource(slot), inputs, client.Operation{})
	var partly *client.InitFailed
	if s.dead() || err != nil && !errors.As(err, &partly) {
		return s.lost(err)
	}
	if partly != nil {
		state = partly.State
	}
	if err == nil && state.ID == "" {
		return errors.New("provider did not return an ID from Create")
	}
	s.change(func() {
		if old != nil {
			old.delete = true
		}
		s.state = append(s.state, &record{slot: slot, state: state, failed: partly != nil})
	})
	return err
}

// lost is the error of a call whose result is not recorded.
func (s *Simulated) lost(err error) error {
	if err == nil {
		return errInterrupted
	}
	return err
}

func (s *Simulated) update(ctx context.Context, c *client.Client, r *record, inputs property.Map) error {
	state, err := c.Update(ctx, s.resource(r.slot), r.state, inputs, client.Operation{})
	var partly *client.InitFailed
	if s.dead() || err != nil && !errors.As(err, &partly) {
		return s.lost(err)
	}
	if partly != nil {
		state = partly.State
		state.Inputs = r.state.Inputs // the old ones stand
		state.ID = r.state.ID
	}
	s.change(func() { r.state, r.failed = state, partly != nil })
	return err
}

func (s *Simulated) delete(ctx context.Context, c *client.Client, r *record) error {
	err := c.Delete(ctx, s.resource(r.slot), r.state, client.Operation{})
	if err != nil || s.dead() {
		return s.lost(err)
	}
	s.drop(r)
	return nil
}

// deletes deletes those records, the last first.
func (s *Simulated) deletes(ctx context.Context, c *client.Client, which func(*record) bool) error {
	for _, r := range slices.Backward(slices.Clone(s.state)) {
		if !which(r) {
			continue
		}
		if err := s.going(); err != nil {
			return err
		}
		if err := s.delete(ctx, c, r); err != nil {
			return fmt.Errorf("%s: %w", r.slot, err)
		}
	}
	return nil
}

// Destroy deletes all that the state has.
func (s *Simulated) Destroy() []string {
	return s.command(func(ctx context.Context, c *client.Client) error {
		return s.deletes(ctx, c, func(*record) bool { return true })
	})
}

// Refresh reads all that the state has.
func (s *Simulated) Refresh() []string {
	return s.command(func(ctx context.Context, c *client.Client) error {
		for _, r := range slices.Clone(s.state) {
			if err := s.going(); err != nil {
				return err
			}
			if err := s.refresh(ctx, c, r); err != nil {
				return fmt.Errorf("%s: %w", r.slot, err)
			}
		}
		return nil
	})
}

func (s *Simulated) refresh(ctx context.Context, c *client.Client, r *record) error {
	now, err := c.Read(ctx, s.resource(r.slot), r.state, client.Operation{})
	var partly *client.InitFailed
	if s.dead() || err != nil && !errors.As(err, &partly) {
		return s.lost(err)
	}
	if partly != nil {
		now = partly.State
	}
	if now.ID == "" {
		s.drop(r)
		return nil
	}
	old := r.state.Inputs
	if now.Inputs.Len() == 0 {
		now.Inputs = old
	}
	s.change(func() { r.state, r.failed = now, partly != nil })
	_, err = c.Diff(ctx, s.resource(r.slot), now, old) // for the display
	return err
}

// Import takes an object over, by what the user types.
func (s *Simulated) Import(slot, id string) []string {
	return s.command(func(ctx context.Context, c *client.Client) error {
		if s.current(slot) != nil {
			return fmt.Errorf("%s is in the stack already", slot)
		}
		state, err := c.Read(ctx, s.resource(slot), client.State{ID: id}, client.Operation{})
		var partly *client.InitFailed
		if s.dead() || err != nil && !errors.As(err, &partly) {
			return s.lost(err)
		}
		if partly != nil {
			state = partly.State
		}
		if state.ID == "" {
			return fmt.Errorf("resource %q does not exist", id)
		}
		if _, err := s.check(ctx, c, slot, state.Inputs, state.Inputs); err != nil && strings.Contains(err.Error(), "rpc error") {
			return err
		}
		s.change(func() { s.state = append(s.state, &record{slot: slot, state: state, failed: partly != nil}) })
		return nil
	})
}

// Recorded is described at Stack, as are those that follow.
func (s *Simulated) Recorded() []Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Recorded
	for _, r := range s.state {
		one := Recorded{Slot: r.slot, ID: r.state.ID, Failed: r.failed, Delete: r.delete}
		if v := r.state.Outputs.Get("serial"); v.IsString() {
			one.Serial = v.AsString()
		}
		out = append(out, one)
	}
	return out
}

// Interrupt tells the provider to cancel.
func (s *Simulated) Interrupt() {
	var p Provider
	s.change(func() { p, s.stopped = s.running, true })
	if p != nil {
		_ = p.Client().Cancel(context.Background())
	}
}

// Crash makes the host forget what it hears from now on.
func (s *Simulated) Crash() { s.change(func() { s.crashed = true }) }

// Kill kills the provider.
func (s *Simulated) Kill() {
	var p Provider
	s.change(func() { p = s.running })
	if p != nil {
		p.Kill()
	}
}

// URN is a resource's.
func (s *Simulated) URN(slot string) string {
	return (&client.Client{Stack: s.name}).URN(s.resource(slot))
}
