package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"
)

// httpSpec is a provider of an API at the address that is put in.
const httpSpec = `package bench

name:    "bench"
version: "0.1.0"
http: baseURL: %q
resources: Thing: {
	inputs: {name: string, size: int}
	outputs: serial: string
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	read: http: path: "/things/${id}"
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
// The same, looked for before it is created.
resources: Found: {
	inputs: {name: string, size: int}
	outputs: serial: string
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}"}
	find: http: path: "/named/${inputs.name}"
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
// The same, whose create has an idempotency key.
resources: Keyed: {
	inputs: {name: string, size: int}
	outputs: serial: string
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}", idempotencyKey: true}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
// Many requests in one call.
functions: many: {
	inputs: names: [...string]
	outputs: count: int
	forEach: "${inputs.names}"
	http: {path: "/things/${each.value}"}
	return: count: "${len(result)}"
}
`

const (
	httpCalls = 2000 // requests in one call
	httpMakes = 1000 // resources that are created
	httpSide  = 64   // side by side
)

// http measures requests: through the engine, and by net/http alone, of the same
// server in the same run.
func (b *bench) http(ctx context.Context) error {
	var made atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// It reads what was sent: whoever is measured sends it.
		_, _ = io.Copy(io.Discard, r.Body)
		if strings.HasPrefix(r.URL.Path, "/named/") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"t%d","name":"a","size":1,"serial":"s"}`, made.Add(1))
	}))
	defer server.Close()
	p, err := b.startBench(ctx, fmt.Sprintf(httpSpec, server.URL))
	if err != nil {
		return err
	}
	defer p.stop()
	r := requests{bench: b, process: p, url: server.URL}
	for _, part := range []func(context.Context) error{r.overhead, r.creates, r.intents, r.memory} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// requests measures requests to one server.
type requests struct {
	*bench
	*process // declprov, with httpSpec
	url      string
}

// overhead is what the engine adds to a request: many in one call, so that
// the host's protocol has no part in it. What it is added to is a process of its
// own, too.
func (r requests) overhead(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var own, bare []float64
	for range r.rounds {
		took, err := timed(func() error { return invokeMany(ctx, r.process, "many", httpCalls) })
		if err != nil {
			return err
		}
		own = append(own, us(took)/httpCalls)
		printed, err := exec.CommandContext(ctx, self, "-bare", r.url).Output()
		if err != nil {
			return err
		}
		each, err := strconv.ParseFloat(strings.TrimSpace(string(printed)), 64)
		if err != nil {
			return err
		}
		bare = append(bare, each)
	}
	r.rows = append(r.rows, row{
		what: "http: a request, engine over bare net/http", got: median(own) - median(bare), budget: 100, unit: "us",
		detail: fmt.Sprintf("(%.0f us, bare %.0f us)", median(own), median(bare)),
	})
	return nil
}

// bareRequests prints how long a request takes that net/http alone makes.
func bareRequests(ctx context.Context, url string) error {
	client := &http.Client{Transport: &http.Transport{}}
	took, err := timed(func() error { return getMany(ctx, client, url, httpCalls) })
	if err != nil {
		return err
	}
	_, err = fmt.Println(us(took) / httpCalls)
	return err
}

func timed(do func() error) (time.Duration, error) {
	began := time.Now()
	err := do()
	return time.Since(began), err
}

// invokeMany calls a function of the spec with a number of names.
func invokeMany(ctx context.Context, p *process, function string, count int) error {
	names := make([]any, count)
	for i := range names {
		names[i] = fmt.Sprintf("t%d", i)
	}
	args, err := structpb.NewStruct(map[string]any{"names": names})
	if err != nil {
		return err
	}
	res, err := p.Invoke(ctx, &pulumirpc.InvokeRequest{Tok: "bench:index:" + function, Args: args})
	if err == nil && len(res.GetFailures()) > 0 {
		err = errors.New(res.GetFailures()[0].GetReason())
	}
	return err
}

func getMany(ctx context.Context, client *http.Client, url string, count int) error {
	for i := range count {
		if err := send(ctx, client, "GET", fmt.Sprintf("%s/things/t%d", url, i), ""); err != nil {
			return err
		}
	}
	return nil
}

// send is a request of net/http alone, whose answer is read.
func send(ctx context.Context, client *http.Client, method, url, body string) error {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.ReadAll(res.Body)
	return err
}

// creates makes resources side by side, as a host with that parallelism
// does; the bare one sends the same requests, without a host.
func (r requests) creates(ctx context.Context) error {
	inputs, err := structpb.NewStruct(map[string]any{"name": "a", "size": 1})
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: httpSide}}
	defer client.CloseIdleConnections()
	var own, bare []float64
	for round := range r.rounds {
		took, err := timed(func() error {
			return sideBySide(httpMakes, func(i int) error {
				name := fmt.Sprintf("r%d-%d", round, i)
				_, err := r.Create(ctx, &pulumirpc.CreateRequest{
					Urn: "urn:pulumi:dev::bench::bench:index:Thing::" + name, Name: name, Type: "bench:index:Thing", Properties: inputs,
				})
				return err
			})
		})
		if err != nil {
			return err
		}
		own = append(own, took.Seconds())
		took, err = timed(func() error {
			return sideBySide(httpMakes, func(int) error { return send(ctx, client, "POST", r.url+"/things", `{"name":"a","size":1}`) })
		})
		if err != nil {
			return err
		}
		bare = append(bare, took.Seconds())
	}
	r.rows = append(r.rows, row{
		what: fmt.Sprintf("http: %d creates, %d side by side", httpMakes, httpSide), got: median(own), budget: 1, unit: "s",
		detail: fmt.Sprintf("the requests alone, by net/http without a host: %.2f s", median(bare)),
	})
	return nil
}

// intents measures what a `find` and an idempotency key add to a create, one at a time. Both
// write an intent to the journal, and a `find` also sends a request. The journal is in memory: on
// a disk, syncing it costs what part "disk" shows.
func (r requests) intents(ctx context.Context) error {
	const makes = 200
	inputs, err := structpb.NewStruct(map[string]any{"name": "a", "size": 1})
	if err != nil {
		return err
	}
	each := func(kind string, round int) (float64, error) {
		took, err := timed(func() error {
			for i := range makes {
				name := fmt.Sprintf("f%d-%d", round, i)
				_, err := r.Create(ctx, &pulumirpc.CreateRequest{
					Urn: "urn:pulumi:dev::bench::bench:index:" + kind + "::" + name, Name: name, Type: "bench:index:" + kind, Properties: inputs,
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		return us(took) / makes / 1000, err
	}
	took := map[string][]float64{}
	for round := range r.rounds {
		for _, kind := range []string{"Found", "Keyed", "Thing"} {
			one, err := each(kind, round)
			if err != nil {
				return err
			}
			took[kind] = append(took[kind], one)
		}
	}
	without := median(took["Thing"])
	for kind, what := range map[string]string{"Found": "find before the first send", "Keyed": "an idempotency key"} {
		with := median(took[kind])
		r.rows = append(r.rows, row{
			what: "http: " + what + ", a create", got: with - without, budget: 1, unit: "ms",
			detail: fmt.Sprintf("%.2f ms with it, %.2f ms without", with, without),
		})
	}
	return nil
}

// sideBySide does count things, httpSide at a time.
func sideBySide(count int, do func(i int) error) error {
	var next atomic.Int64
	failures := make([]error, httpSide)
	var all sync.WaitGroup
	for w := range httpSide {
		all.Go(func() {
			for i := int(next.Add(1)); i <= count && failures[w] == nil; i = int(next.Add(1)) {
				failures[w] = do(i)
			}
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

// memory compares the memory after 1,000 requests with that after 10,000.
func (r requests) memory(ctx context.Context) error {
	const early, late = 1000, 10_000
	state, err := structpb.NewStruct(map[string]any{"name": "a", "size": 1, "serial": "s"})
	if err != nil {
		return err
	}
	read := func(count int) (float64, error) {
		for range count {
			_, err := r.Read(ctx, &pulumirpc.ReadRequest{
				Id: "t1", Urn: "urn:pulumi:dev::bench::bench:index:Thing::a", Name: "a", Type: "bench:index:Thing", Properties: state, Inputs: state,
			})
			if err != nil {
				return 0, err
			}
		}
		bytes, err := r.resident()
		return bytes / 1e6, err
	}
	first, err := read(early)
	if err != nil {
		return err
	}
	last, err := read(late - early)
	if err != nil {
		return err
	}
	r.rows = append(r.rows, row{
		what: "http: memory after 10,000 requests over 1,000", got: last - first, budget: 5, unit: "MB", detail: fmt.Sprintf("%.1f MB, and %.1f MB", first, last),
	})
	return nil
}
