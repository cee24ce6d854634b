package dev.sharding.qos.spi;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Classes and rules that fit each other. Immutable: a change makes a new set, so that a
 * running one is replaced as a whole or not at all.
 */
public final class QosRules {

	/** Nothing is limited. */
	public static final QosRules NONE = define(Map.of(), List.of());

	private final Map<String, QosClass> classes;

	private final Set<String> shared;

	private final List<QosRule> rules;

	/* Rules that can match an operation, highest priority first. */
	private final Map<Operation, QosRule[]> byOperation = new EnumMap<>(Operation.class);

	private QosRules(Map<String, QosClass> classes, Set<String> shared, List<QosRule> rules) {
		this.classes = classes;
		this.shared = shared;
		this.rules = rules;
		for (Operation operation : Operation.values()) {
			this.byOperation.put(operation,
					rules.stream()
						.filter((rule) -> rule.enabled()
								&& (rule.operations().isEmpty() || rule.operations().contains(operation)))
						.toArray(QosRule[]::new));
		}
	}

	/**
	 * Checks classes and rules and puts them together, none of the classes shared.
	 * @param classes the classes by name
	 * @param rules the rules, in any order
	 * @return the set
	 * @throws InvalidQosException as {@link #define(Map, Set, Collection)}
	 */
	public static QosRules define(Map<String, QosClass> classes, Collection<QosRule> rules) {
		return define(classes, Set.of(), rules);
	}

	/**
	 * Checks classes and rules and puts them together. Rules of one priority are in the
	 * order of their names, however they are given: for whoever reads them, and to name
	 * the same offender each time. It decides about no request, as no two of them can
	 * match the same one.
	 * @param classes the classes by name
	 * @param shared names of classes whose rules all draw from one limit; each rule of
	 * another class has a limit of its own
	 * @param rules the rules, in any order
	 * @return the set
	 * @throws InvalidQosException if a name is empty or given twice, that of a rule or a
	 * shared class contains a colon, a class is not defined, a priority or a wait is out
	 * of range, a cost does not fit its class, rules of a shared class differ in what
	 * makes the limit, or two enabled rules of one priority can match the same request
	 */
	public static QosRules define(Map<String, QosClass> classes, Set<String> shared, Collection<QosRule> rules) {
		classes.keySet().forEach((name) -> require(!name.isBlank(), name, "The name of a class must not be empty"));
		Set<String> names = new HashSet<>();
		List<QosRule> ordered = new ArrayList<>(rules);
		ordered.sort(Comparator.comparingInt(QosRule::priority).reversed().thenComparing(QosRule::name));
		for (QosRule rule : ordered) {
			require(!rule.name().isBlank(), rule.name(), "The name of a rule must not be empty");
			require(rule.name().indexOf(':') < 0, rule.name(),
					"The name of rule '%s' must not contain a colon".formatted(rule.name()));
			require(names.add(rule.name()), rule.name(), "Rule '%s' is defined twice".formatted(rule.name()));
			check(rule, classes);
		}
		checkTies(ordered);
		shared.stream().sorted().forEach((name) -> checkShared(name, classes, ordered));
		return new QosRules(Map.copyOf(new LinkedHashMap<>(classes)), Set.copyOf(shared), List.copyOf(ordered));
	}

	/**
	 * Whether any rule is about a request, whatever its conditions.
	 * @param request the request
	 * @return whether there is an enabled rule whose selector matches
	 */
	public boolean concern(QosRequest request) {
		QosRule[] candidates = this.byOperation.get(request.operation());
		if (candidates != null) {
			for (QosRule rule : candidates) {
				if (rule.selects(request)) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * Finds the rule that limits a request.
	 * @param request the request
	 * @param measures what is known about it and about the server
	 * @return the rule of the highest priority whose selector matches and whose
	 * conditions hold, or {@code null} if there is none
	 */
	public @Nullable QosRule select(QosRequest request, Measures measures) {
		QosRule[] candidates = this.byOperation.get(request.operation());
		if (candidates != null) {
			for (QosRule rule : candidates) {
				if (rule.selects(request) && rule.applies(measures)) {
					return rule;
				}
			}
		}
		return null;
	}

	/**
	 * Returns the class that a rule of this set names.
	 * @param rule a rule of this set
	 * @return its class
	 */
	public QosClass classOf(QosRule rule) {
		QosClass found = this.classes.get(rule.qosClass());
		if (found == null) {
			throw new IllegalArgumentException("Rule '%s' is not one of this set".formatted(rule.name()));
		}
		return found;
	}

	/**
	 * Returns the rules that draw from the same limit.
	 * @param rule a rule of this set
	 * @return all rules of its class if that is shared, highest priority first; else the
	 * rule alone
	 */
	public List<QosRule> sharing(QosRule rule) {
		return this.shared.contains(rule.qosClass()) ? of(rule.qosClass(), this.rules) : List.of(rule);
	}

	/**
	 * Returns the names of the classes that are shared.
	 * @return the names
	 */
	public Set<String> shared() {
		return this.shared;
	}

	/**
	 * Returns the classes.
	 * @return by name
	 */
	public Map<String, QosClass> classes() {
		return this.classes;
	}

	/**
	 * Returns the rules.
	 * @return highest priority first
	 */
	public List<QosRule> rules() {
		return this.rules;
	}

	private static void check(QosRule rule, Map<String, QosClass> classes) {
		String name = rule.name();
		require(rule.priority() >= 1 && rule.priority() <= QosRule.HIGHEST_PRIORITY, name,
				"The priority of rule '%s' must be from 1 to %d (is %d)".formatted(name, QosRule.HIGHEST_PRIORITY,
						rule.priority()));
		require(!rule.longestWait().isNegative() && rule.longestWait().compareTo(QosRule.LONGEST_WAIT) <= 0, name,
				"The longest wait of rule '%s' must not be negative, and at most %s (is %s)".formatted(name,
						QosRule.LONGEST_WAIT, rule.longestWait()));
		QosClass qosClass = classes.get(rule.qosClass());
		require(qosClass != null, name,
				"Rule '%s' names the class '%s', which is not defined: define it first, or use one of %s"
					.formatted(name, rule.qosClass(), classes.keySet().stream().sorted().toList()));
		require(rule.cost() == Cost.REQUESTS || qosClass instanceof QosClass.TokenBucket
				|| qosClass instanceof QosClass.RunningWindow, name,
				"Rule '%s' counts %s, but its class '%s' can only count REQUESTS: use a token bucket or a running window"
					.formatted(name, rule.cost(), rule.qosClass()));
	}

	/* One limit cannot be divided, grouped or waited for in two ways. */
	private static void checkShared(String name, Map<String, QosClass> classes, List<QosRule> ordered) {
		require(classes.containsKey(name), name, "The shared class '%s' is not defined".formatted(name));
		require(name.indexOf(':') < 0, name,
				"The name of the shared class '%s' must not contain a colon".formatted(name));
		List<QosRule> users = of(name, ordered);
		for (QosRule rule : users) {
			QosRule first = users.get(0);
			require(rule.accounting() == first.accounting() && rule.ringWide() == first.ringWide()
					&& rule.ring().equals(first.ring()) && rule.longestWait().equals(first.longestWait()), rule.name(),
					"Rules '%s' and '%s' share the class '%s', but differ in accounting, scope, ring or longest wait: give both the same, or give one a class of its own"
						.formatted(first.name(), rule.name(), name));
		}
	}

	private static List<QosRule> of(String qosClass, List<QosRule> rules) {
		return rules.stream().filter((rule) -> rule.qosClass().equals(qosClass)).toList();
	}

	private static void checkTies(List<QosRule> ordered) {
		for (int i = 0; i < ordered.size(); i++) {
			QosRule rule = ordered.get(i);
			for (int j = i + 1; j < ordered.size() && ordered.get(j).priority() == rule.priority(); j++) {
				QosRule other = ordered.get(j);
				require(!rule.overlaps(other), other.name(),
						"Rules '%s' and '%s' have the same priority %d and can match the same request: change one priority, or narrow a rule"
							.formatted(rule.name(), other.name(), rule.priority()));
			}
		}
	}

	private static void require(boolean holds, String offender, String message) {
		if (!holds) {
			throw new InvalidQosException(offender, message);
		}
	}

}
