# `make help` lists the targets. The tests and the installation of what they require
# are Go programs: see tests/testall and tests/testdeps.

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Without cgo, binaries depend on no C library: they run on every distribution, start faster and are smaller.
# The race detector requires cgo.
CGO_ENABLED ?= 0
export CGO_ENABLED

# gRPC's traces are not used. The same tags are in tests/internal/release and .ci/run.
TAGS := grpcnotrace

# A release compiles these packages without inlining, because most of their code runs once for a spec or waits for
# a server: its binaries are smaller by 0.5 MB. Check and Diff do not run it. The same list is in tests/internal/release and .ci/run.
SMALL := actions/... cmd/... engine/compile/... engine/component engine/journal engine/plan engine/run engine/run/entries engine/run/operation engine/run/outputs engine/run/reading engine/schema/... spec/container spec/decode spec/diag spec/expr/check spec/expr/functions spec/expr/parse spec/foreign spec/load/... spec/names spec/screen
RELEASE := -trimpath $(SMALL:%=-gcflags=github.com/declprov/declprov/%=-l) -ldflags "-s -w"

# The linters are in a separate module: tests/lint/go.mod.
LINT := go tool -modfile=$(CURDIR)/tests/lint/go.mod

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

build: ## build the binary, the one that only serves providers, and both with drivers for databases (-sql), into bin/
	go build $(RELEASE) -tags $(TAGS) -o bin/ ./cmd/declprov ./cmd/declprov/declprov-server
	@for name in declprov declprov-server; do dir=./cmd/declprov; test $$name = declprov || dir=$$dir/$$name; \
		go build $(RELEASE) -tags $(TAGS),declprov_sql -o bin/$$name-sql$$(go env GOEXE) $$dir || exit 1; done

demo: ## demonstrate providers for files and for a REST API with the Pulumi CLI, step by step
	@echo "preparing; the first time, this takes some minutes and prints its progress ..."
	@cd tests && go run ./demo

test: ## run every test that this machine can run; list the slowest tests and those that were left out
	@echo "preparing ..."
	@cd tests && go run ./testdeps -go-only && go run ./testall $(TESTFLAGS)

test-deps: ## install what the tests require in addition to Go: Pulumi, Python packages, strace, servers
	@cd tests && go run ./testdeps

check: ## check format, vet, lint, generated files, go.mod
	@echo "== format"; files=$$($(LINT) gofumpt -l cmd actions engine spec docs tests) && test -z "$$files" || \
		{ echo "$$files"; echo "these files are not formatted: run make format"; exit 1; }
	@echo "== vet"; go vet ./... && cd tests && go vet ./...
	@echo "== lint"; $(LINT) staticcheck ./... && cd tests && $(LINT) staticcheck ./...
	@echo "== complexity"; $(LINT) gocognit -over 20 -ignore '_test.go|testdata' actions cmd docs engine spec 2>/dev/null || \
		{ echo "the cognitive complexity of these functions is over 20: split them where they have two subjects"; exit 1; }
	@echo "== generated files"; before=$$(git diff HEAD | cksum); $(MAKE) generate >/dev/null; \
		test "$$before" = "$$(git diff HEAD | cksum)" || { git diff HEAD --stat; echo "generated files were stale: make generate has updated them, commit the changes"; exit 1; }
	@echo "== go.mod"; for dir in . tests tests/lint tests/tools tests/tools/cue; do (cd $$dir && go mod tidy -diff) || { echo "run: cd $$dir && go mod tidy"; exit 1; }; done

platforms: ## type-check and vet for Windows and macOS, including the tests
	@echo "== types for Windows and macOS"; cd tests/lint && go run ./platforms windows/amd64,darwin/arm64 ../.. ..

format: ## format every Go file
	@$(LINT) gofumpt -w cmd actions engine spec docs tests

generate: ## update every generated file
	go generate ./...
	cd tests && go generate ./...

mutants: ## disable one mechanism after the other; a test must fail for each
	@cd tests && go run ./mutants $(MUTANTSFLAGS)

model: ## run in full what make test samples: the race detector in every test and for every case, concurrent first calls, hostile strings, tokens of a minute, kills, structurally broken specs, misspelt specs, 1,000 generated OpenAPI documents, 10,000 schemas that must converge, 20,000 histories against an unreliable API; MODELFLAGS="-seed 7"
	@CGO_ENABLED=1 go test ./engine -race -count=1 -timeout=1h -every=1
	@CGO_ENABLED=1 go test ./engine -race -run '^TestParallelFirstCalls' -count=1 -timeout=1h -first-calls=200
	@CGO_ENABLED=1 go test ./engine -race -run '^TestNeverNull' -count=1 -timeout=1h -nulls=1
	@CGO_ENABLED=1 go test ./engine/pulumi -race -run '^TestConvergence' -count=1 -timeout=1h -rapid.checks=10000
	@cd tests && go run ./testall -whole
	@cd tests && go test ./adding -run '^TestTheEngineNeedsNoHTTP' -count=1 -timeout=1h -whole
	@CGO_ENABLED=1 go test ./actions/http -race -run "^TestHostileStrings" -count=1 -timeout=1h -strings=10000
	@cd tests && go test ./http/strings ./exec/strings -run "^TestHostileStrings" -count=1 -timeout=1h -strings=10000
	@cd tests && go test ./sql -run "^TestHostileStrings" -count=1 -timeout=3h -strings=10000 -databases=10000
	@cd tests && go test ./servers/auth -run '^TestLongRun' -count=1 -timeout=1h -token-lasts=1m -long-run=3m
	@cd tests && go test ./http/kill -run '^TestKilled' -count=1 -timeout=1h -kills=1000 -ups=10
	@cd tests && go test ./openapi -count=1 -timeout=1h -apis=1000
	@cd tests && go test ./structure -count=1 -timeout=3h -every=1
	@cd tests && go test ./mistakes -run '^TestMutants' -count=1 -timeout=1h -every=1
	@cd tests && go test ./model -run '^TestModel' -count=1 -timeout=3h -v -matrix -histories=20000 -cli=60 -seed=$$(date +%s) $(MODELFLAGS)

bench: ## measure performance, compared with a provider written by hand
	@cd tests && go run ./bench $(BENCHFLAGS)

.PHONY: help build demo test test-deps check platforms format generate mutants model bench
