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

const (
	token   = "files:index:File"
	payload = 1024 // bytes of content, as in the figures of the reference
)

func urn(i int) string { return fmt.Sprintf("urn:pulumi:dev::bench::%s::f%d", token, i) }

// inputs are the checked inputs of the ith file.
func inputs(i int, letter string) *structpb.Struct {
	return &structpb.Struct{Fields: map[string]*structpb.Value{
		"path":    structpb.NewStringValue(fmt.Sprintf("f%d.txt", i)),
		"content": structpb.NewStringValue(strings.Repeat(letter, payload)),
		"mode":    structpb.NewStringValue("0644"),
		"force":   structpb.NewBoolValue(false),
	}}
}

// outputs are what a provider recorded of each file that it created.
type outputs []*structpb.Struct

// verb is a call that is measured.
type verb struct {
	name string
	call func(ctx context.Context, p *process, i int, made outputs) error
}

// verbs are in an order in which each finds what the one before it left.
func verbs() []verb {
	return []verb{
		{"Check", func(ctx context.Context, p *process, i int, _ outputs) error {
			_, err := p.Check(ctx, &pulumirpc.CheckRequest{Urn: urn(i), Name: "f", Type: token, News: inputs(i, "a"), RandomSeed: []byte("seed")})
			return err
		}},
		{"Create preview", func(ctx context.Context, p *process, i int, _ outputs) error {
			_, err := p.Create(ctx, &pulumirpc.CreateRequest{Urn: urn(i), Name: "f", Type: token, Properties: inputs(i, "a"), Preview: true})
			return err
		}},
		{"Create", func(ctx context.Context, p *process, i int, made outputs) error {
			r, err := p.Create(ctx, &pulumirpc.CreateRequest{Urn: urn(i), Name: "f", Type: token, Properties: inputs(i, "a")})
			made[i] = r.GetProperties()
			return err
		}},
		{"Diff", func(ctx context.Context, p *process, i int, made outputs) error {
			_, err := p.Diff(ctx, &pulumirpc.DiffRequest{Id: id(i), Urn: urn(i), Name: "f", Type: token, Olds: made[i], OldInputs: inputs(i, "a"), News: inputs(i, "a")})
			return err
		}},
		{"Read", func(ctx context.Context, p *process, i int, made outputs) error {
			_, err := p.Read(ctx, &pulumirpc.ReadRequest{Id: id(i), Urn: urn(i), Name: "f", Type: token, Properties: made[i], Inputs: inputs(i, "a")})
			return err
		}},
		{"Update", func(ctx context.Context, p *process, i int, made outputs) error {
			r, err := p.Update(ctx, &pulumirpc.UpdateRequest{Id: id(i), Urn: urn(i), Name: "f", Type: token, Olds: made[i], OldInputs: inputs(i, "a"), News: inputs(i, "b")})
			if err == nil {
				made[i] = r.GetProperties()
			}
			return err
		}},
		{"Delete", func(ctx context.Context, p *process, i int, made outputs) error {
			_, err := p.Delete(ctx, &pulumirpc.DeleteRequest{Id: id(i), Urn: urn(i), Name: "f", Type: token, Properties: made[i], OldInputs: inputs(i, "b")})
			return err
		}},
	}
}

func id(i int) string { return fmt.Sprintf("f%d.txt", i) }

// figures are what a verb cost at one concurrency.
type figures struct {
	p50, p99 time.Duration
	// cpu is the provider's processor time an operation.
	cpu time.Duration
	// rate is operations a second.
	rate float64
}

// measure calls a verb n times, so many at once.
func measure(ctx context.Context, p *process, v verb, n, concurrency int, made outputs) (figures, error) {
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
				if err := v.call(ctx, p, i, made); err != nil {
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

// round measures all verbs in a new process of a peer, over n files.
func round(ctx context.Context, peer peer, dir string, n, concurrency int) (map[string]figures, error) {
	p, err := start(ctx, peer, dir)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	made := make(outputs, n)
	// Warm up: the connection, the provider's lazy parts, the caches.
	if _, err := measure(ctx, p, verbs()[0], min(n, 200), concurrency, made); err != nil {
		return nil, fmt.Errorf("%s: %w", peer.name, err)
	}
	all := map[string]figures{}
	for _, v := range verbs() {
		if all[v.name], err = measure(ctx, p, v, n, concurrency, made); err != nil {
			return nil, fmt.Errorf("%s: %w", peer.name, err)
		}
	}
	return all, nil
}
