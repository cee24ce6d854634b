package dev.sharding.controller;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a status, of which there is one of each type. All methods are pure:
 * they modify no argument.
 */
public final class Conditions {

	/** The longest message that a condition may have, in characters. */
	public static final int LONGEST_MESSAGE = 32768;

	private static final int LONGEST_REASON = 1024;

	private static final Pattern REASON = Pattern.compile("[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?");

	private static final Set<String> STATUSES = Set.of("True", "False", "Unknown");

	private Conditions() {
	}

	/**
	 * A condition that says something about an object as it was specified in the given
	 * state of it.
	 * @param object the object, whose generation becomes the condition's
	 * {@code observedGeneration}
	 * @param type the type, such as {@code Ready}
	 * @param status whether it is so
	 * @param reason one word in CamelCase
	 * @param message a sentence for people, may be empty
	 * @return the condition, without a time of transition
	 */
	public static Condition of(HasMetadata object, String type, boolean status, String reason, String message) {
		return new ConditionBuilder().withType(type)
			.withStatus(status ? "True" : "False")
			.withReason(reason)
			.withMessage(message)
			.withObservedGeneration(object.getMetadata().getGeneration())
			.build();
	}

	/**
	 * Sets a condition. If there is one of its type with the same status, the time of
	 * that one's last transition is kept, otherwise it is {@code now}; the time that
	 * {@code condition} itself has is not looked at. So what is set twice is set once,
	 * and the second time there is nothing to write.
	 * @param present the conditions that are there, {@code null} for none
	 * @param condition what is so now
	 * @param now the present time
	 * @return the conditions, in the same order, a new one at the end
	 * @throws IllegalArgumentException if the API server would refuse the condition; the
	 * message says why
	 */
	public static List<Condition> set(@Nullable List<Condition> present, Condition condition, Instant now) {
		requireValid(condition);
		List<Condition> conditions = (present != null) ? new ArrayList<>(present) : new ArrayList<>();
		int place = indexOf(conditions, condition.getType());
		Condition before = (place >= 0) ? conditions.get(place) : null;
		boolean same = before != null && condition.getStatus().equals(before.getStatus())
				&& before.getLastTransitionTime() != null;
		String time = (before != null && same) ? before.getLastTransitionTime()
				: now.truncatedTo(ChronoUnit.SECONDS).toString();
		Condition set = new ConditionBuilder(condition).withLastTransitionTime(time)
			.withMessage(Objects.requireNonNullElse(condition.getMessage(), ""))
			.build();
		if (place >= 0) {
			conditions.set(place, set);
		}
		else {
			conditions.add(set);
		}
		return conditions;
	}

	/**
	 * Removes the condition of a type.
	 * @param present the conditions that are there, {@code null} for none
	 * @param type the type
	 * @return the others, in the same order
	 */
	public static List<Condition> remove(@Nullable List<Condition> present, String type) {
		List<Condition> conditions = (present != null) ? new ArrayList<>(present) : new ArrayList<>();
		conditions.removeIf((condition) -> type.equals(condition.getType()));
		return conditions;
	}

	/**
	 * The condition of a type.
	 * @param present the conditions that are there, {@code null} for none
	 * @param type the type
	 * @return the condition, if there is one
	 */
	public static Optional<Condition> find(@Nullable List<Condition> present, String type) {
		int place = (present != null) ? indexOf(present, type) : -1;
		return (present != null && place >= 0) ? Optional.of(present.get(place)) : Optional.empty();
	}

	/**
	 * Tells whether the condition of a type is there and true.
	 * @param present the conditions that are there, {@code null} for none
	 * @param type the type
	 * @return {@code false} if it is false, unknown or absent
	 */
	public static boolean isTrue(@Nullable List<Condition> present, String type) {
		return find(present, type).filter((condition) -> "True".equals(condition.getStatus())).isPresent();
	}

	private static int indexOf(List<Condition> conditions, String type) {
		for (int i = 0; i < conditions.size(); i++) {
			if (type.equals(conditions.get(i).getType())) {
				return i;
			}
		}
		return -1;
	}

	private static void requireValid(Condition condition) {
		String type = condition.getType();
		if (type == null || type.isEmpty()) {
			throw new IllegalArgumentException("'type' of a condition must not be empty");
		}
		if (condition.getStatus() == null || !STATUSES.contains(condition.getStatus())) {
			throw new IllegalArgumentException("'status' of condition '%s' must be True, False or Unknown (is '%s')"
				.formatted(type, condition.getStatus()));
		}
		String reason = condition.getReason();
		if (reason == null || reason.length() > LONGEST_REASON || !REASON.matcher(reason).matches()) {
			throw new IllegalArgumentException(("'reason' of condition '%s' must be one word in CamelCase of at most %d"
					+ " characters (is '%s'); sentences go into 'message'")
				.formatted(type, LONGEST_REASON, reason));
		}
		if (condition.getMessage() != null && condition.getMessage().length() > LONGEST_MESSAGE) {
			throw new IllegalArgumentException("'message' of condition '%s' must have at most %d characters (has %d)"
				.formatted(type, LONGEST_MESSAGE, condition.getMessage().length()));
		}
	}

}
