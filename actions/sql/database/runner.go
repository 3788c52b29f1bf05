// Package database runs the actions of the family sql. It contains the drivers, so only the
// binary that serves specs with the family imports it.
//
// A runner keeps a pool of connections for each server, database and user. An action
// prepares its statements before it connects, and knows at each failure whether the
// statement was sent: see outcome.go.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/sql/statement"
)

// Open returns the runner of one engine.
func Open() actions.Runner {
	return (&runner{pools: map[string]*sql.DB{}}).run
}

// runner has what all actions of an engine share.
type runner struct {
	mu    sync.Mutex
	pools map[string]*sql.DB // by target.key
}

// arguments are the arguments of a call.
type arguments struct {
	target
	placeholders
	Statement  string        `arg:"statement"`
	Statements []string      `arg:"statements"`
	List       bool          `arg:"list"`
	Timeout    time.Duration `arg:"timeout"`
	MaxRows    int           `arg:"maxRows"`
	MaxBytes   declare.Bytes `arg:"maxBytes"`
}

// prepared is a statement that is ready to be sent.
type prepared struct {
	*statement.Statement
	text       string
	parameters []any
}

// run is one run of an action.
type run struct {
	call    *actions.Call
	args    arguments
	backend backend
	reads   bool // a query
	stmts   []prepared
	// sent counts the bytes that were written to the connection; before is the count before the
	// statement, or the commit, that may take effect. It is nil if the driver tells.
	sent   *atomic.Int64
	before int64
}

// mark notes that what is sent from now on may take effect.
func (r *run) mark() {
	if r.sent != nil {
		r.before = r.sent.Load()
	}
}

// isUnsent reports whether an error means that nothing was sent since the last mark.
func (r *run) isUnsent(err error) bool {
	if isEncoding(err) {
		return true
	}
	return r.backend.unsent(err) && (r.sent == nil || r.sent.Load() == r.before)
}

func (all *runner) run(ctx context.Context, kind *actions.Kind, call *actions.Call) actions.Outcome {
	r, err := newRun(kind, call)
	if err != nil {
		return actions.Refuse(err)
	}
	if r.args.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.args.Timeout, timeoutError(r.args.Timeout))
		defer cancel()
	}
	pool, err := all.pool(r)
	if errors.Is(err, errNoFile) && r.reads {
		return actions.Missing(err)
	}
	if err != nil {
		return actions.Refuse(err)
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return r.connectOutcome(ctx, err)
	}
	defer conn.Close()
	if err := r.backend.limit(conn, r.longestRow()); err != nil {
		return r.connectOutcome(ctx, err)
	}
	r.sent = r.backend.sent(conn)
	r.mark()
	if r.reads {
		return r.query(ctx, conn)
	}
	return r.exec(ctx, conn)
}

// makesFile reports whether the run may make the file of a database that does not exist. What changes or
// removes something must not: the something is elsewhere, and an empty file would show that it is gone.
func (r *run) makesFile() bool {
	return !r.reads && slices.ContainsFunc(r.stmts, func(s prepared) bool { return s.Verb() == "create" || s.Verb() == "pragma" })
}

// longestRow returns the size in bytes of the longest row that is read or written. What a row takes
// besides its values, which rowReader counts, is well below slack.
func (r *run) longestRow() int64 {
	const slack = 1 << 20
	longest := 2 * int64(r.args.MaxBytes) // bytes may come as hexadecimal digits
	for _, s := range r.stmts {
		written := int64(len(s.text))
		for _, p := range s.parameters {
			written += sizeOf(p)
		}
		longest = max(longest, written)
	}
	return min(longest+slack, math.MaxInt32)
}

// The defaults of arguments: see package sql.
const (
	defaultTimeout     = 2 * time.Minute
	defaultMaxRows     = 100_000
	defaultConnections = 4
)

// newRun returns the run of a call. It connects to nothing.
func newRun(kind *actions.Kind, call *actions.Call) (*run, error) {
	r := &run{call: call, reads: kind.Name == "query"}
	r.args.Timeout, r.args.MaxRows, r.args.Connections = defaultTimeout, defaultMaxRows, defaultConnections
	if err := call.Decode(&r.args); err != nil {
		return nil, err
	}
	r.backend = backendOf(statement.Dialect(r.args.Driver))
	if r.backend == nil {
		return nil, fmt.Errorf("unknown driver %q (use postgres, mysql or sqlite)", r.args.Driver)
	}
	texts := r.args.Statements
	if call.Args["statement"] != nil {
		texts = []string{r.args.Statement}
	}
	if len(texts) == 0 {
		return nil, errors.New("statements is empty")
	}
	for _, text := range texts {
		s, err := r.prepare(text)
		if err != nil {
			return nil, err
		}
		r.stmts = append(r.stmts, s)
	}
	return r, nil
}

// prepare reads a statement, and fills in its placeholders.
func (r *run) prepare(text string) (prepared, error) {
	s, err := statement.Parse(statement.Dialect(r.args.Driver), text)
	switch {
	case err != nil:
		return prepared{}, err
	case s.ControlsTransaction():
		return prepared{}, fmt.Errorf("`%s` controls the transaction, which the step does", s.Verb())
	case r.reads && !s.Reads():
		return prepared{}, fmt.Errorf("a query with `%s`, which changes something: use exec", s.Verb())
	}
	values, err := r.args.values(s, r.backend)
	if err != nil {
		return prepared{}, err
	}
	p := prepared{Statement: s}
	p.text, p.parameters, err = s.Fill(values)
	return p, err
}

// idle is how long a connection is kept that nobody uses. It is short, because a database
// cannot be dropped while somebody is connected to it.
const idle = 2 * time.Second

// pool returns the connections for a run, which are made once per engine.
func (all *runner) pool(r *run) (*sql.DB, error) {
	if r.call.Env == nil || r.call.Env.Network == nil || r.call.Env.Files == nil {
		return nil, errors.New("databases are not available here")
	}
	if err := r.args.locate(r.call.Env, use{reads: r.reads, makes: r.makesFile()}); err != nil {
		return nil, err
	}
	key := r.args.key(r.call.Env)
	all.mu.Lock()
	defer all.mu.Unlock()
	if pool := all.pools[key]; pool != nil {
		return pool, nil
	}
	connector, err := r.backend.connector(&r.args.target, r.call.Env)
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(r.args.Connections)
	pool.SetConnMaxIdleTime(idle)
	if r.args.File != "" {
		pool.SetMaxIdleConns(-1) // the file may be removed and made anew
	}
	all.pools[key] = pool
	return pool, nil
}

// query reads the rows of the statement, in a transaction that is read-only.
func (r *run) query(ctx context.Context, conn *sql.Conn) actions.Outcome {
	var source querier = conn
	if r.args.File == "" { // a file was opened for reading
		tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return r.outcome(ctx, err, nothingSent)
		}
		defer tx.Rollback()
		source = tx
	}
	limit := r.args.MaxRows
	if !r.args.List {
		limit = 2
	}
	read, err := r.rows(ctx, source, r.stmts[0], limit)
	switch {
	case err != nil:
		return r.outcome(ctx, err, sentReading)
	case r.args.List:
		return actions.Succeed(map[string]any{"rows": slices.Clip(append([]any{}, read...))})
	case len(read) == 0:
		return actions.Missing(errors.New("the query returned no row"))
	case len(read) > 1:
		return actions.Refuse(errors.New("the query returned several rows: make its condition unique, or read all rows with `list: true`"))
	}
	return actions.Succeed(map[string]any{"row": read[0]})
}

// exec runs the statements.
func (r *run) exec(ctx context.Context, conn *sql.Conn) actions.Outcome {
	var idle *actions.Idle
	if len(r.stmts) == 1 {
		result, err := r.one(ctx, conn, r.stmts[0])
		if err != nil {
			s := sentAlone
			if r.stmts[0].MayBeIncomplete() {
				s = sentInParts
			}
			return r.outcome(ctx, err, s)
		}
		return actions.Outcome{Status: actions.Done, Result: result, Idle: addIdle(idle, r.stmts[0], result)}
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return r.outcome(ctx, err, nothingSent)
	}
	defer tx.Rollback()
	var result map[string]any
	state := sentWithin
	for i, s := range r.stmts {
		if s.MayBeIncomplete() || s.Commits() {
			state = max(state, sentInParts)
		}
		if result, err = r.one(ctx, tx, s); err != nil {
			if i == 0 && s.Commits() && !s.MayBeIncomplete() {
				state = sentAlone
			}
			return r.outcome(ctx, fmt.Errorf("statement %d: %w", i+1, err), state)
		}
		idle = addIdle(idle, s, result)
	}
	r.mark()
	if err := tx.Commit(); err != nil {
		return r.outcome(ctx, fmt.Errorf("commit: %w", err), max(state, sentAlone))
	}
	return actions.Outcome{Status: actions.Done, Result: result, Idle: idle}
}

// addIdle returns how the statements had no effect: the first update that found no row, or else the first delete.
func addIdle(idle *actions.Idle, s prepared, result map[string]any) *actions.Idle {
	verb := s.Changes()
	if verb == "" || result["affected"] != int64(0) || idle != nil && (verb == "delete" || !idle.Removal) {
		return idle
	}
	return &actions.Idle{Err: fmt.Errorf("`%s` affected no row", verb), Removal: verb == "delete"}
}

// one runs one statement, and returns the result of the action.
func (r *run) one(ctx context.Context, on querier, s prepared) (map[string]any, error) {
	result := map[string]any{"row": nil, "affected": int64(0), "insertId": nil}
	if s.ReturnsRows() {
		read, err := r.rows(ctx, on, s, r.args.MaxRows)
		if len(read) > 0 {
			result["row"] = read[0]
		}
		result["affected"] = int64(len(read))
		return result, err
	}
	done, err := on.ExecContext(ctx, s.text, s.parameters...)
	if err != nil {
		return nil, err
	}
	if n, err := done.RowsAffected(); err == nil {
		result["affected"] = n
	}
	if id, err := done.LastInsertId(); err == nil && id != 0 && s.Verb() != "update" && s.Verb() != "delete" {
		result["insertId"] = id
	}
	return result, nil
}

// querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}
