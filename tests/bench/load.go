package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"
)

// workload is a kind of resource that is made, looked at, changed and deleted.
type workload struct {
	// title stands before the rows of it; "" is files.
	title string
	token string
	// inputs are the checked inputs of the ith, before and after its change.
	inputs func(i int, changed bool) *structpb.Struct
	// after, where there is one, is called after each round.
	after func()
}

const payload = 1024 // bytes of content, as in the figures of the reference

// fileWork are files of a kilobyte.
func fileWork() workload {
	return workload{token: "files:index:File", inputs: func(i int, changed bool) *structpb.Struct {
		letter := "a"
		if changed {
			letter = "b"
		}
		return &structpb.Struct{Fields: map[string]*structpb.Value{
			"path":    structpb.NewStringValue(fmt.Sprintf("f%d.txt", i)),
			"content": structpb.NewStringValue(strings.Repeat(letter, payload)),
			"mode":    structpb.NewStringValue("0644"),
			"force":   structpb.NewBoolValue(false),
		}}
	}}
}

func (w workload) urn(i int) string { return fmt.Sprintf("urn:pulumi:dev::bench::%s::r%d", w.token, i) }

// made is what a provider recorded of a resource that it created.
type made struct {
	id      string
	outputs *structpb.Struct
}

// verb is a call that is measured.
type verb struct {
	name string
	call func(ctx context.Context, p *process, i int, all []made) error
}

// verbs are in an order in which each finds what the one before it left.
func (w workload) verbs() []verb {
	const name = "r"
	return []verb{
		{"Check", func(ctx context.Context, p *process, i int, _ []made) error {
			_, err := p.Check(ctx, &pulumirpc.CheckRequest{Urn: w.urn(i), Name: name, Type: w.token, News: w.inputs(i, false), RandomSeed: []byte("seed")})
			return err
		}},
		{"Create preview", func(ctx context.Context, p *process, i int, _ []made) error {
			_, err := p.Create(ctx, &pulumirpc.CreateRequest{Urn: w.urn(i), Name: name, Type: w.token, Properties: w.inputs(i, false), Preview: true})
			return err
		}},
		{"Create", func(ctx context.Context, p *process, i int, all []made) error {
			r, err := p.Create(ctx, &pulumirpc.CreateRequest{Urn: w.urn(i), Name: name, Type: w.token, Properties: w.inputs(i, false)})
			all[i] = made{r.GetId(), r.GetProperties()}
			return err
		}},
		{"Diff", func(ctx context.Context, p *process, i int, all []made) error {
			_, err := p.Diff(ctx, &pulumirpc.DiffRequest{
				Id: all[i].id, Urn: w.urn(i), Name: name, Type: w.token, Olds: all[i].outputs, OldInputs: w.inputs(i, false), News: w.inputs(i, false),
			})
			return err
		}},
		{"Read", func(ctx context.Context, p *process, i int, all []made) error {
			_, err := p.Read(ctx, &pulumirpc.ReadRequest{Id: all[i].id, Urn: w.urn(i), Name: name, Type: w.token, Properties: all[i].outputs, Inputs: w.inputs(i, false)})
			return err
		}},
		{"Update", func(ctx context.Context, p *process, i int, all []made) error {
			r, err := p.Update(ctx, &pulumirpc.UpdateRequest{
				Id: all[i].id, Urn: w.urn(i), Name: name, Type: w.token, Olds: all[i].outputs, OldInputs: w.inputs(i, false), News: w.inputs(i, true),
			})
			if err == nil {
				all[i].outputs = r.GetProperties()
			}
			return err
		}},
		{"Delete", func(ctx context.Context, p *process, i int, all []made) error {
			_, err := p.Delete(ctx, &pulumirpc.DeleteRequest{Id: all[i].id, Urn: w.urn(i), Name: name, Type: w.token, Properties: all[i].outputs, OldInputs: w.inputs(i, true)})
			return err
		}},
	}
}

// figures are what a verb cost at one concurrency.
type figures struct {
	p50, p99 time.Duration
	// cpu is the provider's processor time an operation.
	cpu time.Duration
	// rate is operations a second.
	rate float64
}

// measure calls a verb n times, so many at once.
func measure(ctx context.Context, p *process, v verb, n, concurrency int, all []made) (figures, error) {
	before, err := p.cpu()
	if err != nil {
		return figures{}, err
	}
	took := make([]time.Duration, n)
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var workers sync.WaitGroup
	begun := time.Now()
	for range concurrency {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				at := time.Now()
				if err := v.call(ctx, p, i, all); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
				took[i] = time.Since(at)
			}
		})
	}
	workers.Wait()
	whole := time.Since(begun)
	if err := failed.Load(); err != nil {
		return figures{}, fmt.Errorf("%s: %w", v.name, *err)
	}
	after, err := p.cpu()
	if err != nil {
		return figures{}, err
	}
	slices.Sort(took)
	return figures{
		p50: took[n/2], p99: took[n*99/100],
		cpu: (after - before) / time.Duration(n), rate: float64(n) / whole.Seconds(),
	}, nil
}

// round measures all verbs in a new process of a peer, over n resources.
func (w workload) round(ctx context.Context, peer peer, dir string, n, concurrency int) (map[string]figures, error) {
	p, err := start(ctx, peer, dir)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	recorded := make([]made, n)
	// Warm up: the connection, the provider's lazy parts, the caches.
	if _, err := measure(ctx, p, w.verbs()[0], min(n, 200), concurrency, recorded); err != nil {
		return nil, fmt.Errorf("%s: %w", peer.name, err)
	}
	all := map[string]figures{}
	for _, v := range w.verbs() {
		if all[v.name], err = measure(ctx, p, v, n, concurrency, recorded); err != nil {
			return nil, fmt.Errorf("%s: %w", peer.name, err)
		}
	}
	if w.after != nil {
		w.after()
	}
	return all, nil
}
