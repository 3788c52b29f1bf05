package engine

import (
	"cmp"
	"context"
	"fmt"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/run"
	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// HandedError reports an intent of whose outcome the host was told: what it made is
// not deleted behind the back of a state that has it.
type HandedError struct{ Key string }

func (e *HandedError) Error() string {
	return fmt.Sprintf("Pulumi was told of it, and a state has it unless Pulumi was killed at that moment: `pulumi destroy` deletes it. "+
		"If no state has it, delete it in the service, or take it over with `pulumi import`. Then: declprov journal forget %s", e.Key)
}

// UnfinishedDeleteError reports an intent of a delete, which only the next delete settles, or a refresh.
type UnfinishedDeleteError struct{ Key string }

func (e *UnfinishedDeleteError) Error() string {
	return fmt.Sprintf("its delete did not come to its end. The next `pulumi up` or `pulumi destroy` goes on with it, and `pulumi refresh` settles it if the object is gone. "+
		"If no stack has the resource any more, look in the service, then run `declprov journal forget %s`", e.Key)
}

// Settle finds what an intent made, and removes it if Delete is set.
func (e *Engine) Settle(ctx context.Context, req run.SettleRequest) (run.Settled, error) {
	i := req.Intent
	name, _ := e.program.CurrentName(i.Type)
	res, err := e.program.Resource(cmp.Or(name, i.Type))
	if err != nil {
		return run.Settled{}, err
	}
	ref := recorded.Ref{Type: name, Name: i.Name(), Key: i.Resource}
	if ref.Name == "" {
		ref.Name, ref.Key = i.Resource, ""
	}
	if req.Delete && i.Operation == journal.Update {
		return run.Settled{}, fmt.Errorf("it is the update of a %s that a stack manages: the next `pulumi up` settles it, and `pulumi destroy` removes it; if the stack has it no more, `declprov journal forget %s`", i.Type, i.Key)
	}
	if i.Operation == journal.Delete {
		return run.Settled{}, &UnfinishedDeleteError{i.Key}
	}
	if req.Delete && i.Status == journal.Handed {
		return run.Settled{}, &HandedError{i.Key}
	}
	if req.Delete && res.Delete == nil {
		return run.Settled{}, fmt.Errorf("%s has no delete: remove it in the service", i.Type)
	}
	found, err := e.resources.FindMade(ctx, res, ref, req)
	if err != nil || !req.Delete || !found.Found || found.Doubt != "" {
		return found, err
	}
	if err := e.Delete(ctx, run.DeleteRequest{Ref: ref, State: *found.State, Log: req.Log}); err != nil {
		return found, err
	}
	found.Deleted = true
	// What else was answered of that create was of what is gone now.
	book, err := e.resources.Journal()
	if err == nil {
		err = book.Settle(i.Subject, func(o journal.Intent) bool {
			return o.Key != i.Key && (o.Accompanies(i) || entries.IsHalfMade(o) && o.Token == i.Token)
		})
	}
	return found, err
}

// RecordedConfig is the configuration that an intent recorded, of the settings
// that the spec still has.
func (p *Program) RecordedConfig(i journal.Intent) (property.Map, error) {
	config, err := value.DecodeRecorded(i.Configuration)
	if err != nil {
		return config, fmt.Errorf("the configuration in the journal cannot be read: %w", err)
	}
	for name := range config.AllStable {
		if p.ConfigType.ByName[name] == nil {
			config = config.Delete(name)
		}
	}
	return config, nil
}
