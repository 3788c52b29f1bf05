package database

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/grant"
	family "github.com/declprov/declprov/actions/sql"
	"github.com/declprov/declprov/actions/sql/statement"
)

// target is the database that a call connects to.
type target struct {
	Driver      string  `arg:"driver"`
	URL         string  `arg:"url"`
	Host        string  `arg:"host"`
	Port        portArg `arg:"port"`
	Socket      string  `arg:"socket"`
	File        string  `arg:"file"`
	Database    string  `arg:"database"`
	User        string  `arg:"user"`
	Password    string  `arg:"password"`
	TLS         tlsArg  `arg:"tls"`
	Connections int     `arg:"connections"`
	// ReadOnly says that a file is opened for reading.
	ReadOnly bool
}

// portArg is the value of the argument port.
type portArg uint16

// ReadArgument reads a port.
func (p *portArg) ReadArgument(v any) error {
	if v == nil {
		return nil
	}
	text, err := actions.TextOf(v)
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return fmt.Errorf("invalid port %q (use a number from 1 to 65535)", actions.Clip(text, 20))
	}
	*p = portArg(n)
	return nil
}

// tlsArg is the value of the argument tls.
type tlsArg struct {
	Off      bool
	Settings *declare.TLS
}

// ReadArgument reads "off" or TLS settings.
func (t *tlsArg) ReadArgument(v any) error {
	switch v := v.(type) {
	case nil:
	case string:
		if t.Off = v == "off"; !t.Off {
			return fmt.Errorf("expected \"off\" or an object, got %q", v)
		}
	case map[string]any:
		t.Settings = &declare.TLS{}
		return (&actions.Call{}).DecodeWithin("tls", v, t.Settings)
	}
	return nil
}

// errNoFile says that a database does not exist. Its file may be on a volume that is not mounted.
var errNoFile = fmt.Errorf("there is no such database file, %w: check the path, and that its volume is mounted. "+
	"If it was removed for good, `pulumi state delete` removes what was in it from the state", actions.ErrNoStore)

// use is what a run does with a database.
type use struct {
	// reads says that the run changes nothing, and makes that it may make the file of a database that
	// does not exist.
	reads, makes bool
}

// locate finds the server or file, and checks that it is granted.
func (t *target) locate(env *actions.Env, u use) error {
	dialect := statement.Dialect(t.Driver)
	switch {
	case dialect == statement.SQLite && t.File == "":
		return errors.New("the driver sqlite requires `file`")
	case dialect == statement.SQLite:
		return t.locateFile(env, u)
	case t.URL != "":
		address, err := family.ParseURL(dialect, t.URL)
		if err != nil {
			return err
		}
		t.Host = address.Hostname()
		if err := t.Port.ReadArgument(orNil(address.Port())); err != nil {
			return err
		}
		if database := strings.TrimPrefix(address.Path, "/"); database != "" {
			t.Database = database
		}
	case t.Socket != "":
		return t.locateSocket(env)
	case t.Host == "":
		return errors.New("the database has no address: `url`, `host` or `socket`")
	}
	if t.Port == 0 {
		t.Port = standardPort(dialect)
	}
	host := strings.Trim(t.Host, "[]")
	origin, err := grant.ParseOrigin(t.Driver + "://" + net.JoinHostPort(host, t.port()))
	if err != nil {
		return err
	}
	t.Host = origin.Host
	return env.Network.Check(origin)
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func standardPort(d statement.Dialect) portArg {
	if d == statement.MySQL {
		return 3306
	}
	return 5432
}

func (t *target) port() string { return strconv.Itoa(int(t.Port)) }

// locateFile sets File to the absolute path of the database.
func (t *target) locateFile(env *actions.Env, u use) error {
	access := grant.Write
	if t.ReadOnly = u.reads; u.reads {
		access = grant.Read
	}
	path, err := env.Files.Locate(access, t.File)
	if errors.Is(err, fs.ErrNotExist) && !u.makes {
		return fmt.Errorf("%q: %w", t.File, errNoFile)
	}
	if err != nil {
		return err
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist) && !u.makes:
		return fmt.Errorf("%q: %w", t.File, errNoFile)
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%q is not a regular file", t.File)
	}
	t.File = path
	return nil
}

// locateSocket sets Socket to the absolute path of the socket.
func (t *target) locateSocket(env *actions.Env) error {
	if t.Port == 0 {
		t.Port = standardPort(statement.Dialect(t.Driver))
	}
	path := t.Socket
	if t.Driver == string(statement.PostgreSQL) {
		path = filepath.Join(path, ".s.PGSQL."+t.port())
	}
	path, err := env.Files.Locate(grant.Write, path)
	t.Socket = path
	return err
}

// key identifies the target and what the network permits.
func (t *target) key(env *actions.Env) string {
	data, err := json.Marshal(t)
	if err != nil {
		data = []byte(fmt.Sprintf("%#v", *t))
	}
	sum := sha256.Sum256(append(data, env.Network.Fingerprint()...)) // it contains the password
	return hex.EncodeToString(sum[:])
}

// dial connects to the server, within the permissions.
func (t *target) dial(env *actions.Env) func(ctx context.Context, network, address string) (net.Conn, error) {
	if t.Socket != "" {
		return func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", t.Socket)
		}
	}
	address := net.JoinHostPort(t.Host, t.port())
	return func(ctx context.Context, _, _ string) (net.Conn, error) { return env.Network.Dial(ctx, "tcp", address) }
}

// counted is a connection that counts the bytes that are written.
type counted struct {
	net.Conn
	sent *atomic.Int64
}

func (c counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.sent.Add(int64(n))
	return n, err
}

// tlsConfig returns the TLS configuration, or nil for no TLS.
func (t *target) tlsConfig() (*tls.Config, error) {
	if t.TLS.Off || t.TLS.Settings == nil && (t.Socket != "" || isLoopback(t.Host)) {
		return nil, nil
	}
	config, err := t.TLS.Settings.Config()
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	if config.ServerName == "" {
		config.ServerName = t.Host
	}
	return config, nil
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// backend is one kind of database: its driver, and what is peculiar to it.
type backend interface {
	connector(t *target, env *actions.Env) (driver.Connector, error)
	// parameter returns a value as the driver takes it.
	parameter(v any) (any, error)
	// plain returns a value of a column as a plain value.
	plain(v any, column string) (any, error)
	// serverError returns what the server reported, if err is the server's.
	serverError(err error) (serverError, bool)
	// unsent reports whether the driver knows that the statement was not sent.
	unsent(err error) bool
	// sent returns the count of bytes that were written to a connection, or nil if the
	// driver's unsent is enough.
	sent(conn *sql.Conn) *atomic.Int64
	// limit limits the memory that a connection takes for one row, to about the given number
	// of bytes.
	limit(conn *sql.Conn, bytes int64) error
	// hash returns what the server stores of a password.
	hash(password string) (string, error)
}

func backendOf(d statement.Dialect) backend {
	switch d {
	case statement.PostgreSQL:
		return postgres{}
	case statement.MySQL:
		return mysqlBackend{}
	case statement.SQLite:
		return sqliteBackend{}
	default:
		return nil
	}
}
