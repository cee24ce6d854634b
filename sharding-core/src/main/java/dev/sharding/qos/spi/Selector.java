package dev.sharding.qos.spi;

import org.jspecify.annotations.Nullable;

/**
 * The first piece of a limit: which requests a rule is about. Asked for every request, on
 * the thread that makes it; must be fast and safe for many threads.
 */
@FunctionalInterface
public interface Selector {

	/** As the rules say: the highest priority that matches. */
	Selector STANDARD = new Selector() {

		@Override
		public boolean mayConcern(QosRules rules, QosRequest request) {
			return rules.concern(request);
		}

		@Override
		public @Nullable QosRule select(QosRules rules, QosRequest request, Measures measures) {
			return rules.select(request, measures);
		}

	};

	/**
	 * Takes a quick look, so that requests that no rule is about cost next to nothing:
	 * nothing is measured or remembered of them.
	 * @param rules the rules in force
	 * @param request the request
	 * @return whether {@link #select} may find a rule for requests of this kind
	 */
	default boolean mayConcern(QosRules rules, QosRequest request) {
		return true;
	}

	/**
	 * Finds the rule that limits a request.
	 * @param rules the rules in force
	 * @param request the request
	 * @param measures what is known about it and about the server
	 * @return one of the rules, or {@code null} if the request is not limited
	 */
	@Nullable QosRule select(QosRules rules, QosRequest request, Measures measures);

}
