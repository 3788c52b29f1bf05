# What a person types; each target says what it does in `make help`. Everything
# but bringing other people's programs is Go: see tests/testdeps, tests/testall.

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# The linters come from a module of their own: tests/lint/go.mod.
LINT := go tool -modfile=$(CURDIR)/tests/lint/go.mod

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

build: ## the binary, and the one that only serves providers, into bin/
	go build -trimpath -tags grpcnotrace -ldflags "-s -w" -o bin/ ./cmd/declprov ./cmd/declprov/pulumi-resource-declprov

demo: ## files and a REST API as providers, through the real Pulumi CLI, told step by step
	@echo "preparing; on a machine that never built this it takes minutes, and says what it does ..."
	@cd tests && go run ./demo

test: ## every test that this machine's tools allow; ends with what took longest and what was left out
	@echo "preparing ..."
	@cd tests && go run ./testdeps -go-only && go run ./testall $(TESTFLAGS)

test-deps: ## bring what the tests need beside Go: Pulumi, Python packages, strace, servers
	@cd tests && go run ./testdeps

check: ## format, vet, lint, generated files, go.mod
	@echo "== format"; files=$$($(LINT) gofumpt -l cmd actions engine spec docs tests) && test -z "$$files" || \
		{ echo "$$files"; echo "not formatted: run make format"; exit 1; }
	@echo "== vet"; go vet ./... && cd tests && go vet ./...
	@echo "== lint"; $(LINT) staticcheck ./... && cd tests && $(LINT) staticcheck ./...
	@echo "== generated files"; before=$$(git diff HEAD | cksum); $(MAKE) generate >/dev/null; \
		test "$$before" = "$$(git diff HEAD | cksum)" || { git diff HEAD --stat; echo "stale: make generate made these changes, commit them"; exit 1; }
	@echo "== go.mod"; for dir in . tests tests/lint tests/tools; do (cd $$dir && go mod tidy -diff) || { echo "run: cd $$dir && go mod tidy"; exit 1; }; done

platforms: ## compile and vet for Windows and macOS, tests too
	@for platform in windows/amd64 darwin/arm64; do echo "== vet for $$platform"; for dir in . tests; do \
		(cd $$dir && GOOS=$${platform%/*} GOARCH=$${platform#*/} CGO_ENABLED=0 go vet ./...) || exit 1; done; done

format: ## format every Go file
	@$(LINT) gofumpt -w cmd actions engine spec docs tests

generate: ## write every generated file anew
	go generate ./...
	cd tests && go generate ./...

mutants: ## switch off one mechanism after the other: a test must notice each
	@cd tests && go run ./mutants $(MUTANTSFLAGS)

model: ## what make test samples, whole: the race detector in every test, parallel first calls, hostile texts, kills, specs broken in structure, 20,000 histories against an unlucky API; MODELFLAGS="-seed 7"
	@go test ./engine -race -run '^TestParallelFirstCalls' -count=1 -timeout=1h -first-calls=200
	@go test ./engine -race -run '^TestNeverNull' -count=1 -timeout=1h -nulls=1
	@cd tests && go run ./testall -whole
	@cd tests && go test ./adding -run '^TestTheEngineNeedsNoHTTP' -count=1 -timeout=1h -whole
	@go test ./actions/http -race -run "^TestHostileStrings" -count=1 -timeout=1h -strings=10000
	@cd tests && go test ./http/strings ./exec/strings -run "^TestHostileStrings" -count=1 -timeout=1h -strings=10000
	@cd tests && go test ./http/kill -run '^TestKilled' -count=1 -timeout=1h -kills=1000 -ups=10
	@cd tests && go test ./structure -count=1 -timeout=3h -every=1
	@cd tests && go test ./model -run '^TestModel' -count=1 -timeout=3h -v -matrix -histories=20000 -cli=60 -seed=$$(date +%s) $(MODELFLAGS)

bench: ## measure, beside a provider written by hand
	@cd tests && go run ./bench $(BENCHFLAGS)

.PHONY: help build demo test test-deps check platforms format generate mutants model bench
