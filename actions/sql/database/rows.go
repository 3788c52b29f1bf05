package database

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/declprov/declprov/spec/decode"
)

// rows runs a statement and returns its rows, each an object by the names of its columns.
// More than limit rows are an error, except that a query for one row reads two.
func (r *run) rows(ctx context.Context, on querier, s prepared, limit int) ([]any, error) {
	reader := rowReader{run: r, budget: decode.NewBudget(r.call.MaxValues()), left: int64(r.args.MaxBytes)}
	out, err := reader.readAll(ctx, on, s, limit)
	if err != nil {
		return out, err
	}
	return out, reader.findArrays(ctx, on, out)
}

// readAll runs the statement and reads its rows.
func (r *rowReader) readAll(ctx context.Context, on querier, s prepared, limit int) ([]any, error) {
	rows, err := on.QueryContext(ctx, s.text, s.parameters...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if r.columns, err = rows.ColumnTypes(); err != nil {
		return nil, err
	}
	if r.names, err = columnNames(r.columns); err != nil {
		return nil, limitError{err}
	}
	var out []any
	for rows.Next() {
		if len(out) == limit {
			if r.reads && !r.args.List {
				return out, nil
			}
			return out, limitError{fmt.Errorf("more than %d rows: ask for fewer, or raise maxRows", limit)}
		}
		row, err := r.read(rows)
		if err != nil {
			return out, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// columnNames returns the names of the columns, which must differ.
func columnNames(columns []*sql.ColumnType) ([]string, error) {
	names, seen := make([]string, len(columns)), map[string]bool{}
	for i, c := range columns {
		if names[i] = c.Name(); seen[names[i]] {
			return nil, fmt.Errorf("two columns have the name %q: rename one with `as`", names[i])
		}
		seen[names[i]] = true
	}
	return names, nil
}

// rowReader reads rows within the limits of the spec.
type rowReader struct {
	*run
	names   []string
	columns []*sql.ColumnType
	budget  *decode.Budget
	left    int64
}

func (r *rowReader) read(rows *sql.Rows) (map[string]any, error) {
	values := make([]any, len(r.names))
	into := make([]any, len(r.names))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	if err := r.budget.Spend(1 + len(values)); err != nil {
		return nil, limitError{fmt.Errorf("the rows have too many values: %w; raise maxValues, or ask for fewer", err)}
	}
	row := make(map[string]any, len(values))
	for i, v := range values {
		if r.left -= sizeOf(v); r.left < 0 {
			return nil, errTooLarge
		}
		plain, err := r.plain(v, r.columns[i].DatabaseTypeName())
		if err != nil {
			return nil, limitError{fmt.Errorf("column %q: %w", r.names[i], err)}
		}
		row[r.names[i]] = plain
	}
	return row, nil
}

// arrayFinder is a backend with array types that only the server knows: plain returns their values
// as text.
type arrayFinder interface {
	// arrayOf returns the name of an array type as plain expects it, or "" if the column has
	// no such type.
	arrayOf(ctx context.Context, on querier, column string) (string, error)
}

// findArrays asks the server which columns are arrays that the driver does not know, and decodes
// them. The rows have been read, so the connection is free.
func (r *rowReader) findArrays(ctx context.Context, on querier, rows []any) error {
	finder, ok := r.backend.(arrayFinder)
	for i := 0; ok && i < len(r.names) && len(rows) > 0; i++ {
		array, err := finder.arrayOf(ctx, on, r.columns[i].DatabaseTypeName())
		if err != nil {
			return err
		}
		for _, row := range rows {
			row := row.(map[string]any)
			text, isText := row[r.names[i]].(string)
			if array == "" || !isText {
				continue
			}
			plain, err := r.plain(text, array)
			if err != nil {
				return limitError{fmt.Errorf("column %q: %w", r.names[i], err)}
			}
			row[r.names[i]] = plain
		}
	}
	return nil
}

var errTooLarge = limitError{errors.New("the rows are larger than maxBytes: ask for less, or raise it")}

// sizeOf returns the size of a value in bytes, about.
func sizeOf(v any) int64 {
	const scalar = 8
	switch v := v.(type) {
	case string:
		return int64(len(v))
	case []byte:
		return int64(len(v))
	default:
		return scalar
	}
}

// plain returns a value of a column as a plain value. JSON is decoded within the limits.
func (r *rowReader) plain(v any, column string) (any, error) {
	v, err := r.backend.plain(v, column)
	if err != nil {
		return nil, err
	}
	return r.decoded(v, column)
}

// decoded returns a value of the backend, or an element of an array, as a plain value.
func (r *rowReader) decoded(v any, column string) (any, error) {
	switch v := v.(type) {
	case []any:
		if err := r.budget.Spend(len(v)); err != nil {
			return nil, err
		}
		for i, element := range v {
			var err error
			if v[i], err = r.decoded(element, column); err != nil {
				return nil, err
			}
		}
		return v, nil
	case jsonValue:
		decoded, err := decode.JSON([]byte(v), r.budget)
		if err != nil {
			return nil, fmt.Errorf("invalid JSON: %w", err)
		}
		return decoded, nil
	case float64:
		switch { // as PostgreSQL writes them
		case math.IsNaN(v):
			return "NaN", nil
		case math.IsInf(v, 1):
			return "Infinity", nil
		case math.IsInf(v, -1):
			return "-Infinity", nil
		}
	case string:
		if !utf8.ValidString(v) {
			return nil, errors.New("the value is not valid UTF-8: convert it in the statement, for example with hex or encode")
		}
	case []byte:
		return base64.StdEncoding.EncodeToString(v), nil
	case nil, bool, int64, json.Number:
	default:
		return nil, fmt.Errorf("a value of the type %s cannot be read: cast it to text", column)
	}
	return v, nil
}

// jsonValue is the text of a value of a JSON column.
type jsonValue string

// number returns the text of a number as a value, or as text if it is no JSON number (NaN).
func number(text string) any {
	if !json.Valid([]byte(text)) {
		return text
	}
	return json.Number(text)
}
