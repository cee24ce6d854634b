package dev.sharding.qos.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import dev.sharding.qos.spi.Subject.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class QosRulesTests {

	private static final Map<String, QosClass> CLASSES = Map.of("class", new QosClass.TokenBucket(10, 12), "flights",
			new QosClass.MaxInFlight(5));

	private static final Measures UNKNOWN = (measure) -> Double.NaN;

	@Test
	void highestPriorityWins() {
		QosRules rules = QosRules.define(CLASSES,
				List.of(rule("low", 1, "/api/v1/pods"), rule("high", 100, "/"), rule("middle", 50, "/api/v1/pods")));
		assertThat(rules.select(MatchingTests.request(Caller.UNKNOWN), UNKNOWN)).extracting(QosRule::name)
			.isEqualTo("high");
		assertThat(rules.rules()).extracting(QosRule::name).containsExactly("high", "middle", "low");
	}

	@Test
	void ruleWhoseConditionDoesNotHoldLetsTheNextOneApply() {
		QosRule scan = with(rule("scan", 10, "/"), new Condition(Measure.PREDICTED_ITEMS, 1_000));
		QosRules rules = QosRules.define(CLASSES, List.of(scan, rule("all", 1, "/")));
		QosRequest list = MatchingTests.request(Caller.UNKNOWN);
		assertThat(rules.select(list, UNKNOWN)).extracting(QosRule::name).isEqualTo("all");
		assertThat(rules.select(list, (measure) -> 1_000)).extracting(QosRule::name).isEqualTo("all");
		assertThat(rules.select(list, (measure) -> 1_001)).extracting(QosRule::name).isEqualTo("scan");
	}

	@Test
	void firstRequestOfAShapeIsNeverLimitedByWhatItMayCost() {
		QosRules rules = QosRules.define(CLASSES,
				List.of(with(rule("scan", 10, "/"), new Condition(Measure.PREDICTED_ITEMS, 0))));
		assertThat(rules.select(MatchingTests.request(Caller.UNKNOWN), UNKNOWN)).isNull();
	}

	@Test
	void disabledRuleMatchesNothing() {
		QosRule rule = rule("r", 1, "/");
		QosRule disabled = new QosRule("r", false, 1, rule.subjects(), rule.paths(), rule.operations(),
				rule.conditions(), "class", rule.cost(), rule.accounting(), false, "", Duration.ZERO);
		QosRules rules = QosRules.define(CLASSES, List.of(disabled, rule("other", 1, "/")));
		assertThat(rules.select(MatchingTests.request(Caller.UNKNOWN), UNKNOWN)).extracting(QosRule::name)
			.isEqualTo("other");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-", textBlock = """
			/api/v1/pods              | LIST   | /api/v1/secrets           | LIST   | false
			/api/v1/pods              | LIST   | /api/v1/pods              | GET    | false
			/api/v1/pods              | LIST   | /api/v1/namespaces/a/pods | LIST   | true
			/api/v1/namespaces/a/pods | LIST   | /api/v1/namespaces/b/pods | LIST   | true
			/api/v1/namespaces/a/pods | CREATE | /api/v1/namespaces/b/pods | CREATE | false
			/registry/pods            | CREATE | /api/v1                   | CREATE | true
			/                         | CREATE | /                         | DELETE | false
			/apis/apps                | LIST   | /apis/batch               | LIST   | false
			""")
	void refusesTies(String left, Operation leftOperation, String right, Operation rightOperation, boolean tie) {
		List<QosRule> rules = List.of(MatchingTests.rule("first", 7, List.of(), List.of(left), Set.of(leftOperation)),
				MatchingTests.rule("second", 7, List.of(), List.of(right), Set.of(rightOperation)));
		if (tie) {
			assertThatExceptionOfType(InvalidQosException.class).isThrownBy(() -> QosRules.define(CLASSES, rules))
				.withMessageContaining("'first' and 'second' have the same priority 7")
				.satisfies((ex) -> assertThat(ex.offender()).isEqualTo("second"));
		}
		else {
			assertThat(QosRules.define(CLASSES, rules).rules()).hasSize(2);
		}
	}

	@ParameterizedTest
	@CsvSource({ "a, b, c", "a, c, b", "b, a, c", "b, c, a", "c, a, b", "c, b, a" })
	void rulesOfOnePriorityAreInTheOrderOfTheirNames(String first, String second, String third) {
		List<QosRule> apart = Stream.of(first, second, third)
			.map((name) -> rule(name, 7, "/api/v1/namespaces/n/" + name))
			.toList();
		assertThat(QosRules.define(CLASSES, apart).rules()).extracting(QosRule::name).containsExactly("a", "b", "c");
		List<QosRule> tied = Stream.of(first, second, third).map((name) -> rule(name, 7, "/")).toList();
		assertThatExceptionOfType(InvalidQosException.class).isThrownBy(() -> QosRules.define(CLASSES, tied))
			.withMessageContaining("'a' and 'b' have the same priority 7")
			.satisfies((ex) -> assertThat(ex.offender()).isEqualTo("b"));
	}

	@Test
	void twoSubjectsOfOneKindAreNoTie() {
		QosRule alice = MatchingTests.rule("alice", 7, List.of(new Subject(Kind.USER, "alice")), List.of(), Set.of());
		QosRule bob = MatchingTests.rule("bob", 7, List.of(new Subject(Kind.USER, "bob")), List.of(), Set.of());
		QosRule controller = MatchingTests.rule("controller", 7, List.of(new Subject(Kind.CONTROLLER, "bob")),
				List.of(), Set.of());
		assertThat(QosRules.define(CLASSES, List.of(alice, bob)).rules()).hasSize(2);
		assertThatExceptionOfType(InvalidQosException.class)
			.isThrownBy(() -> QosRules.define(CLASSES, List.of(alice, controller)));
	}

	@Test
	void refusesWhatCannotBe() {
		refused(List.of(named("r", 1, "missing")), "names the class 'missing', which is not defined");
		refused(List.of(rule("r", 1, "/api"), rule("r", 2, "/apis/apps")), "Rule 'r' is defined twice");
		refused(List.of(rule("r", 0, "/")), "must be from 1 to 100 (is 0)");
		refused(List.of(rule("r", 101, "/")), "must be from 1 to 100 (is 101)");
		refused(List.of(rule(" ", 1, "/")), "must not be empty");
		refused(List.of(rule("r:a", 1, "/")), "must not contain a colon");
		QosRule wait = rule("r", 1, "/");
		refused(List.of(new QosRule("r", true, 1, List.of(), List.of(), Set.of(), List.of(), "class", Cost.REQUESTS,
				Accounting.RULE, false, "", Duration.ofMillis(-1))), "must not be negative");
		refused(List.of(new QosRule("r", true, 1, List.of(), List.of(), Set.of(), List.of(), "class", Cost.REQUESTS,
				Accounting.RULE, false, "", Duration.ofDays(1).plusNanos(1))), "at most PT24H");
		refused(List.of(new QosRule("r", true, 1, wait.subjects(), wait.paths(), Set.of(), List.of(), "flights",
				Cost.ITEMS, Accounting.RULE, false, "", Duration.ZERO)), "can only count REQUESTS");
	}

	@Test
	void refusesClassesAndConditionsOutOfRange() {
		assertThatIllegalArgumentException().isThrownBy(() -> new QosClass.TokenBucket(-1, 1))
			.withMessage("'qps' must be above 0 and at most 1000000 (is -1.0)");
		assertThatIllegalArgumentException().isThrownBy(() -> new QosClass.TokenBucket(Double.NaN, 1));
		assertThatIllegalArgumentException().isThrownBy(() -> new QosClass.TokenBucket(1, 0));
		assertThatIllegalArgumentException().isThrownBy(() -> new QosClass.LeakyBucket(1, -1));
		assertThatIllegalArgumentException().isThrownBy(() -> new QosClass.MaxInFlight(0));
		assertThatIllegalArgumentException().isThrownBy(() -> new QosClass.RunningWindow(1, Duration.ZERO));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new QosClass.RunningWindow(1, Duration.ofSeconds(Long.MAX_VALUE)))
			.withMessageContaining("must be from 1 ms to a day");
		assertThatIllegalArgumentException().isThrownBy(() -> new Condition(Measure.STORAGE_USED, 1.1))
			.withMessageContaining("must be from 0 to 1.0 as a share (is 1.1)");
		assertThatIllegalArgumentException().isThrownBy(() -> new Condition(Measure.LATENCY, Double.NaN));
	}

	@Test
	void rulesOfASharedClassShareOneLimitAndSayTheSameAboutIt() {
		QosRule all = named("all", 1, "class");
		QosRule more = named("more", 2, "class");
		QosRule flights = named("flights", 3, "flights");
		QosRules rules = QosRules.define(CLASSES, Set.of("class"), List.of(all, more, flights));
		assertThat(rules.sharing(all)).containsExactly(more, all);
		assertThat(rules.sharing(flights)).containsExactly(flights);
		assertThat(QosRules.define(CLASSES, List.of(all, more)).sharing(all)).containsExactly(all);
		QosRule patient = new QosRule("patient", true, 4, List.of(), List.of(), Set.of(), List.of(), "class",
				Cost.REQUESTS, Accounting.RULE, false, "", Duration.ofSeconds(1));
		assertThatExceptionOfType(InvalidQosException.class)
			.isThrownBy(() -> QosRules.define(CLASSES, Set.of("class"), List.of(all, patient)))
			.withMessage("Rules 'patient' and 'all' share the class 'class', but differ in accounting, scope, ring or"
					+ " longest wait: give both the same, or give one a class of its own")
			.satisfies((ex) -> assertThat(ex.offender()).isEqualTo("all"));
		assertThatExceptionOfType(InvalidQosException.class)
			.isThrownBy(() -> QosRules.define(CLASSES, Set.of("class"), List.of(ofRing("one", 1), ofRing("two", 2))))
			.withMessageContaining("differ in accounting, scope, ring or longest wait");
		assertThatExceptionOfType(InvalidQosException.class)
			.isThrownBy(() -> QosRules.define(CLASSES, Set.of("missing"), List.of()))
			.withMessage("The shared class 'missing' is not defined");
	}

	private static void refused(List<QosRule> rules, String message) {
		assertThatExceptionOfType(InvalidQosException.class).isThrownBy(() -> QosRules.define(CLASSES, rules))
			.withMessageContaining(message);
	}

	private static QosRule rule(String name, int priority, String path) {
		return MatchingTests.rule(name, priority, List.of(), List.of(path), Set.of());
	}

	private static QosRule named(String name, int priority, String qosClass) {
		return new QosRule(name, true, priority, List.of(), List.of(), Set.of(), List.of(), qosClass, Cost.REQUESTS,
				Accounting.RULE, false, "", Duration.ZERO);
	}

	private static QosRule ofRing(String ring, int priority) {
		return new QosRule("of-" + ring, true, priority, List.of(), List.of(), Set.of(), List.of(), "class",
				Cost.REQUESTS, Accounting.RULE, true, ring, Duration.ZERO);
	}

	private static QosRule with(QosRule rule, Condition condition) {
		return new QosRule(rule.name(), true, rule.priority(), rule.subjects(), rule.paths(), rule.operations(),
				List.of(condition), rule.qosClass(), rule.cost(), rule.accounting(), false, "", rule.longestWait());
	}

}
