package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// startsOf returns the times from exec to the response to Configure, alternating.
func (b *bench) startsOf(ctx context.Context, hand, ours peer, times int) (raw, own []float64, err error) {
	for i := range times + 1 {
		for _, p := range []peer{hand, ours} {
			r, err := start(ctx, p, b.dir)
			if err != nil {
				return nil, nil, err
			}
			r.stop()
			if i == 0 {
				continue // it fills the caches
			}
			if p.name == hand.name {
				raw = append(raw, r.ready.Seconds())
			} else {
				own = append(own, r.ready.Seconds())
			}
		}
	}
	return raw, own, nil
}

// cold is how many seconds it takes to the answer to Configure with an empty
// cache of compiled specs.
func (b *bench) cold(ctx context.Context, ours peer) (float64, error) {
	var took []float64
	for range b.rounds {
		cache, err := os.MkdirTemp(b.dir, "cold-")
		if err != nil {
			return 0, err
		}
		ours.env = []string{"XDG_CACHE_HOME=" + cache}
		r, err := start(ctx, ours, b.dir)
		if err != nil {
			return 0, err
		}
		r.stop()
		if err := os.RemoveAll(cache); err != nil {
			return 0, err
		}
		took = append(took, r.ready.Seconds())
	}
	return median(took), nil
}

// firstSchema is how long the first GetSchema of a process takes.
func (b *bench) firstSchema(ctx context.Context, ours peer) (time.Duration, error) {
	r, err := start(ctx, ours, b.dir)
	if err != nil {
		return 0, err
	}
	defer r.stop()
	begun := time.Now()
	_, err = r.GetSchema(ctx, &pulumirpc.GetSchemaRequest{})
	return time.Since(begun), err
}

// memory is what a peer holds idle, and after so many files were created and
// read.
func (b *bench) memory(ctx context.Context, p peer, files int) (idle, after float64, err error) {
	r, err := start(ctx, p, b.dir)
	if err != nil {
		return 0, 0, err
	}
	defer r.stop()
	if idle, err = r.resident(); err != nil {
		return 0, 0, err
	}
	all := make([]made, files)
	for _, v := range fileWork().verbs() {
		if _, err := measure(ctx, r, v, files, 8, all); err != nil {
			return 0, 0, err
		}
	}
	after, err = r.resident()
	return idle, after, err
}

// initialisation is the sum of what the packages' initialisers took, as the
// runtime says it.
func initialisation(ctx context.Context, program string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, program)
	cmd.Dir = filepath.Dir(program)
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		return 0, fmt.Errorf("%s: %w", program, err)
	}
	stdin.Close()
	cmd.Process.Kill()
	cmd.Wait()
	total := 0.0
	for line := range strings.Lines(stderr.String()) {
		// init internal/bytealg @0.008 ms, 0.25 ms clock, 0 bytes, 0 allocs
		fields := strings.Fields(line)
		if len(fields) > 5 && fields[0] == "init" {
			ms, err := strconv.ParseFloat(fields[4], 64)
			if err != nil {
				return 0, fmt.Errorf("reading %q: %w", line, err)
			}
			total += ms
		}
	}
	return time.Duration(total * float64(time.Millisecond)), nil
}
