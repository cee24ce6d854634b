package dev.sharding.test.spring;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The rings by test class, where JUnit leaves them and Spring finds them.
 */
final class TestRings {

	private static final Map<Class<?>, TestRing> RINGS = new ConcurrentHashMap<>();

	private TestRings() {
	}

	static void put(Class<?> testClass, TestRing ring) {
		RINGS.put(testClass, ring);
	}

	static Optional<TestRing> find(Class<?> testClass) {
		return Optional.ofNullable(RINGS.get(testClass));
	}

	static void forget(TestRing ring) {
		RINGS.values().remove(ring);
	}

	static TestRing get(Class<?> testClass) {
		return find(testClass).orElseThrow(() -> new IllegalStateException(
				"The ring of %s is not there yet: is @ShardingTest the only annotation that brings Spring?"
					.formatted(testClass.getName())));
	}

}
