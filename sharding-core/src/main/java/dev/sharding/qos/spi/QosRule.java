package dev.sharding.qos.spi;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which requests are limited, and by which class. Dimensions are joined by "and", the
 * values of one by "or"; an empty one stands for all.
 *
 * @param name unique, not empty
 * @param enabled a rule that is not enabled matches nothing
 * @param priority from 1 to 100; of all rules that match the highest applies
 * @param subjects on whose behalf
 * @param paths which part of the API
 * @param operations which operations
 * @param conditions all of them must hold
 * @param qosClass the name of the class that limits
 * @param cost what a request takes from the limit
 * @param accounting who shares the limit
 * @param ringWide whether the limit is that of the ring, divided by the number of shards,
 * rather than that of each shard
 * @param ring the name of that ring; empty for the application's own
 * @param longestWait how long a request may wait, a day at most; zero rejects at once
 */
public record QosRule(String name, boolean enabled, int priority, List<Subject> subjects, List<PathPrefix> paths,
		Set<Operation> operations, List<Condition> conditions, String qosClass, Cost cost, Accounting accounting,
		boolean ringWide, String ring, Duration longestWait) {

	/** The highest priority. */
	public static final int HIGHEST_PRIORITY = 100;

	/** The longest wait that a rule may ask for: far below what the clock can count. */
	public static final Duration LONGEST_WAIT = Duration.ofDays(1);

	/**
	 * Copies the collections. Values are checked where rules are defined, see
	 * {@link QosRules#define}.
	 */
	public QosRule {
		subjects = List.copyOf(subjects);
		paths = List.copyOf(paths);
		operations = Set.copyOf(operations);
		conditions = List.copyOf(conditions);
	}

	/**
	 * Whether all conditions hold.
	 * @param measures what is known about the request and the server
	 * @return whether they do
	 */
	public boolean applies(Measures measures) {
		for (Condition condition : this.conditions) {
			if (!condition.holds(measures)) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Whether one request can match both rules; conditions are taken to hold.
	 * @param other another rule
	 * @return whether one can
	 */
	boolean overlaps(QosRule other) {
		Set<Operation> common = common(this.operations, other.operations);
		return this.enabled && other.enabled && !common.isEmpty() && subjectsMeet(other)
				&& pathsMeet(other, common.stream().anyMatch(Operation::readsCollection));
	}

	/**
	 * Whether path and subject match. Asked for rules that are enabled and have the
	 * request's operation.
	 */
	boolean selects(QosRequest request) {
		return selectsPath(request) && selectsSubject(request.caller());
	}

	private boolean selectsPath(QosRequest request) {
		if (this.paths.isEmpty()) {
			return true;
		}
		for (PathPrefix path : this.paths) {
			if (path.matches(request.target(), request.operation())) {
				return true;
			}
		}
		return false;
	}

	private boolean selectsSubject(Caller caller) {
		if (this.subjects.isEmpty()) {
			return true;
		}
		for (Subject subject : this.subjects) {
			if (subject.matches(caller)) {
				return true;
			}
		}
		return false;
	}

	/* Subjects of two kinds can be one caller: a controller runs as a user. */
	private boolean subjectsMeet(QosRule other) {
		return this.subjects.isEmpty() || other.subjects.isEmpty()
				|| this.subjects.stream()
					.anyMatch((mine) -> other.subjects.stream()
						.anyMatch((theirs) -> mine.kind() != theirs.kind() || mine.name().equals(theirs.name())));
	}

	private boolean pathsMeet(QosRule other, boolean collections) {
		return this.paths.isEmpty() || other.paths.isEmpty() || this.paths.stream()
			.anyMatch((mine) -> other.paths.stream().anyMatch((theirs) -> mine.overlaps(theirs, collections)));
	}

	private static Set<Operation> common(Set<Operation> left, Set<Operation> right) {
		if (left.isEmpty()) {
			return right.isEmpty() ? Set.of(Operation.values()) : right;
		}
		return right.isEmpty() ? left : left.stream().filter(right::contains).collect(Collectors.toSet());
	}

}
