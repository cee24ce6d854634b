package dev.sharding.benchmarks.qos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * A request that none of 100 rules is about: from asking to its end. All rules have its
 * operation, so that each is looked at.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class UnmatchedRequest {

	private final ApiRequest request = ApiRequest.of("GET", "/api/v1/namespaces/team-a/configmaps/settings");

	private final Qos qos;

	public UnmatchedRequest() {
		List<QosRule> rules = new ArrayList<>();
		for (int i = 1; i <= 100; i++) {
			rules.add(BenchRules.rule("rule-" + i, i, "/apis/group-" + i % 10 + ".example.com/v1/resource-" + i,
					Operation.GET));
		}
		this.qos = BenchRules.qos(QosRules.define(Map.of("class", new QosClass.TokenBucket(1, 1)), rules));
	}

	/** Asks and ends. */
	@Benchmark
	public Passage unmatched() {
		Passage passage = Objects.requireNonNull(this.qos.enter(this.request));
		passage.ended(null);
		return passage;
	}

}
