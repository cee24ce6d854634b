package dev.sharding.internal.core.wanted;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WantedFieldsTests {

	private static final Map<String, Object> CONTAINER = Map.of("name", "web", "image", "httpd");

	private final WantedFields wanted = WantedFields.of(deployment(CONTAINER));

	@Test
	void whatTheApiServerAddsIsNoDifference() {
		Map<String, Object> defaulted = with(CONTAINER, "imagePullPolicy", "Always");
		Map<String, Object> actual = applied(this.wanted, with(deployment(defaulted), "status", Map.of("ready", 1)));
		assertThat(this.wanted.areIn(actual, null)).isTrue();
	}

	@Test
	void aValueThatSomebodyChangedIsADifference() {
		Map<String, Object> actual = applied(this.wanted, deployment(with(CONTAINER, "image", "nginx")));
		assertThat(this.wanted.areIn(actual, null)).isFalse();
	}

	@Test
	void aValueThatSomebodyRemovedIsADifference() {
		Map<String, Object> actual = applied(this.wanted, deployment(Map.of("name", "web")));
		assertThat(this.wanted.areIn(actual, null)).isFalse();
	}

	@Test
	void whatIsNoLongerWantedIsADifference() {
		WantedFields before = WantedFields.of(deployment(with(CONTAINER, "tty", true)));
		Map<String, Object> actual = applied(before, deployment(with(CONTAINER, "tty", true)));
		assertThat(this.wanted.areIn(actual, null)).isFalse();
	}

	@Test
	void anObjectThatNobodyAppliedIsADifference() {
		assertThat(this.wanted.areIn(deployment(CONTAINER), null)).isFalse();
	}

	/** As with quantities, or with lists to which somebody else adds an element. */
	@Test
	void whatTheApiServerWritesInAnotherWayIsLearnt() {
		Map<String, Object> answer = applied(this.wanted, deployment(with(CONTAINER, "image", "docker.io/httpd")));
		assertThat(this.wanted.areIn(answer, null)).isFalse();
		AppliedFields last = this.wanted.appliedTo(answer);
		assertThat(this.wanted.areIn(answer, last)).isTrue();
		Map<String, Object> changed = applied(this.wanted, deployment(with(CONTAINER, "image", "nginx")));
		assertThat(this.wanted.areIn(changed, last)).isFalse();
		WantedFields other = WantedFields.of(deployment(with(CONTAINER, "tty", true)));
		assertThat(other.areIn(answer, last)).isFalse();
	}

	@Test
	void whatIsLearntOutlivesMovesAndStatuses() {
		Map<String, Object> answer = applied(this.wanted, deployment(with(CONTAINER, "image", "docker.io/httpd")));
		Map<String, Object> metadata = with(metadata(answer), "labels",
				Map.of("shard.alpha.sharding.timebertt.dev/ring", "shard-2"));
		Map<String, Object> moved = with(answer, "metadata", with(metadata, "resourceVersion", "7"));
		assertThat(this.wanted.areIn(with(moved, "status", Map.of("ready", 2)), this.wanted.appliedTo(answer)))
			.isTrue();
	}

	@Test
	void aStatusIsComparedAsAWhole() {
		WantedFields status = WantedFields.of(Map.of("phase", "Ready"));
		Map<String, Object> other = Map.of("phase", "Ready", "by", "somebody else");
		assertThat(status.areAllOf(Map.of("phase", "Ready"), null)).isTrue();
		assertThat(status.areAllOf(other, null)).isFalse();
		assertThat(status.areAllOf(other, status.appliedAs(other))).isTrue();
	}

	@Test
	void numbersAreComparedByTheirValue() {
		assertThat(WantedFields.of(Map.of("n", 1L)).fingerprint())
			.isEqualTo(WantedFields.of(Map.of("n", 1)).fingerprint())
			.isEqualTo(WantedFields.of(Map.of("n", 1.0)).fingerprint())
			.isNotEqualTo(WantedFields.of(Map.of("n", "1")).fingerprint());
	}

	@Property(tries = 300)
	void oneWishHasOneFingerprint(@ForAll("trees") Map<String, Object> tree) {
		WantedFields fields = WantedFields.of(tree);
		Map<String, @Nullable Object> other = new TreeMap<>(tree);
		other.put("nothing", null);
		assertThat(WantedFields.of(other).fingerprint()).isEqualTo(fields.fingerprint());
		assertThat(fields.areIn(applied(fields, tree), null)).isTrue();
		assertThat(fields.areAllOf(tree, null)).isTrue();
	}

	@Property(tries = 300)
	void twoWishesHaveTwo(@ForAll("trees") Map<String, Object> one, @ForAll("trees") Map<String, Object> other) {
		assertThat(WantedFields.of(one).fingerprint().equals(WantedFields.of(other).fingerprint()))
			.isEqualTo(one.equals(other));
	}

	@Provide
	Arbitrary<Map<String, Object>> trees() {
		Arbitrary<Object> leaves = Arbitraries.oneOf(Arbitraries.strings().ofMaxLength(2).asGeneric(),
				Arbitraries.integers().between(0, 2).asGeneric(), Arbitraries.of(true, false).asGeneric());
		Arbitrary<String> names = Arbitraries.of("a", "b", "ab");
		Arbitrary<Object> lists = leaves.list().ofMaxSize(2).asGeneric();
		Arbitrary<Object> maps = Arbitraries.maps(names, Arbitraries.oneOf(leaves, lists)).ofMaxSize(2).asGeneric();
		return Arbitraries.maps(names, Arbitraries.oneOf(leaves, lists, maps)).ofMaxSize(3);
	}

	private static Map<String, Object> deployment(Map<String, Object> container) {
		return Map.of("metadata", Map.of("name", "a"), "spec", Map.of("containers", List.of(container)));
	}

	/** As it is on the server once {@code wanted} was applied. */
	private static Map<String, Object> applied(WantedFields wanted, Map<String, Object> object) {
		return with(object, "metadata",
				with(metadata(object), "annotations", Map.of(WantedFields.ANNOTATION, wanted.fingerprint())));
	}

	private static Map<String, Object> metadata(Map<String, Object> object) {
		return (object.get("metadata") instanceof Map<?, ?> metadata) ? cast(metadata) : Map.of();
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> cast(Map<?, ?> map) {
		return (Map<String, Object>) map;
	}

	private static Map<String, Object> with(Map<String, Object> map, String name, Object value) {
		Map<String, Object> copy = new LinkedHashMap<>(map);
		copy.put(name, value);
		return copy;
	}

}
