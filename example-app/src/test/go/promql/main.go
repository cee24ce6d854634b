// promql has Prometheus' own engine evaluate queries over two scrapes of one target, half a minute apart, and says what came of each. The standard
// input is a document with both, the standard output one with the answers.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
)

type question struct {
	// What Prometheus adds to each sample of the target.
	Target  map[string]string
	Scrapes []string
	Queries []string
}

type answer struct {
	Query string `json:"query"`
	Error string `json:"error,omitempty"`
	// Such as of a rate of what is no counter.
	Warnings []string `json:"warnings"`
	Series   int      `json:"series"`
	// Those that all series have.
	Labels []string `json:"labels"`
	// What is compared with a number: a healthy target has it as well.
	Compared []answer `json:"compared"`
}

const interval = 30 * time.Second

var promQL = parser.NewParser(parser.Options{})

func main() {
	log.SetFlags(0)
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		log.Fatal(err)
	}
	series := map[string]*promql.Series{}
	for i, scrape := range asked.Scrapes {
		if err := add(series, asked.Target, scrape, time.Unix(0, 0).Add(time.Duration(i)*interval)); err != nil {
			log.Fatal(err)
		}
	}
	now := time.Unix(0, 0).Add(time.Duration(len(asked.Scrapes)-1) * interval)
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, LookbackDelta: 5 * time.Minute, Parser: promQL})
	answers := []answer{}
	for _, query := range asked.Queries {
		answers = append(answers, evaluate(engine, series, query, now))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}

func add(series map[string]*promql.Series, target map[string]string, scrape string, at time.Time) error {
	lines := bufio.NewScanner(strings.NewReader(scrape))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		end := strings.LastIndexByte(line, ' ')
		metric, err := promQL.ParseMetric(line[:max(end, 0)])
		if err != nil {
			return err
		}
		value, err := strconv.ParseFloat(line[end+1:], 64)
		if err != nil {
			return err
		}
		all := labels.NewBuilder(metric)
		for name, value := range target {
			all.Set(name, value)
		}
		metric = all.Labels()
		if series[metric.String()] == nil {
			series[metric.String()] = &promql.Series{Metric: metric}
		}
		one := series[metric.String()]
		one.Floats = append(one.Floats, promql.FPoint{T: at.UnixMilli(), F: value})
	}
	return lines.Err()
}

func evaluate(engine *promql.Engine, series map[string]*promql.Series, text string, now time.Time) answer {
	all := answer{Query: text, Warnings: []string{}, Labels: []string{}, Compared: []answer{}}
	queryable := &storage.MockQueryable{MockQuerier: &storage.MockQuerier{
		SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
			return selected(series, matchers)
		},
	}}
	query, err := engine.NewInstantQuery(context.Background(), queryable, nil, text, now)
	if err != nil {
		all.Error = err.Error()
		return all
	}
	defer query.Close()
	result := query.Exec(context.Background())
	if result.Err != nil {
		all.Error = result.Err.Error()
		return all
	}
	for _, warning := range result.Warnings.AsErrors() {
		all.Warnings = append(all.Warnings, warning.Error())
	}
	vector, err := result.Vector()
	if err != nil {
		all.Error = err.Error()
		return all
	}
	all.Series = len(vector)
	counts := map[string]int{}
	for _, sample := range vector {
		sample.Metric.Range(func(label labels.Label) { counts[label.Name]++ })
	}
	for name, count := range counts {
		if count == len(vector) {
			all.Labels = append(all.Labels, name)
		}
	}
	parsed, err := promQL.ParseExpr(text)
	if err != nil {
		log.Fatal(err)
	}
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if binary, is := node.(*parser.BinaryExpr); is && binary.Op.IsComparisonOperator() {
			all.Compared = append(all.Compared, evaluate(engine, series, binary.LHS.String(), now))
		}
		return nil
	})
	return all
}

func selected(all map[string]*promql.Series, matchers []*labels.Matcher) storage.SeriesSet {
	set := &set{}
	for _, one := range all {
		matches := true
		for _, matcher := range matchers {
			matches = matches && matcher.Matches(one.Metric.Get(matcher.Name))
		}
		if matches {
			set.rest = append(set.rest, one)
		}
	}
	return set
}

type set struct {
	one  *promql.Series
	rest []*promql.Series
}

func (s *set) Next() bool {
	if len(s.rest) == 0 {
		return false
	}
	s.one, s.rest = s.rest[0], s.rest[1:]
	return true
}

func (s *set) At() storage.Series              { return promql.NewStorageSeries(*s.one) }
func (*set) Err() error                        { return nil }
func (*set) Warnings() annotations.Annotations { return nil }
