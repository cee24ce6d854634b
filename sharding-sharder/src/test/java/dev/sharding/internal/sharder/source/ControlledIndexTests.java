package dev.sharding.internal.sharder.source;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;

import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.source.ControlledIndex.Controlled;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ControlledIndexTests {

	private static final int OBJECTS = 100_000;

	private final ControlledIndex index = new ControlledIndex();

	@Property(tries = 300)
	void knowsWhatAMapWouldKnow(@ForAll("changes") List<Change> changes) {
		ControlledIndex index = new ControlledIndex();
		Map<Id, String> model = new HashMap<>();
		for (Change change : changes) {
			Id id = change.id;
			if (change.version != null) {
				index.put(id.main, id.name, change.version);
				model.put(id, change.version);
			}
			else {
				index.remove(id.main, id.name);
				model.remove(id);
			}
		}
		assertThat(index.size()).isEqualTo(model.size());
		changes.stream().map((change) -> change.id.main).distinct().forEach((main) -> {
			List<Controlled> expected = model.entrySet()
				.stream()
				.filter((entry) -> entry.getKey().main.equals(main))
				.map((entry) -> new Controlled(entry.getKey().name, entry.getValue()))
				.toList();
			assertThat(index.of(main)).containsExactlyInAnyOrderElementsOf(expected);
		});
		assertThat(retained(index)).isBetween(index.bytes(), index.bytes() + 600);
	}

	/* Few of each, so that they meet; and names that begin alike, or have no end. */
	@Provide
	Arbitrary<List<Change>> changes() {
		Arbitrary<String> names = Arbitraries.of("a", "ab", "abc", "b", "ä", "äb", "x".repeat(130), "y".repeat(9000),
				"");
		Arbitrary<ShardingKey> mains = Combinators
			.combine(Arbitraries.of("", "apps"), Arbitraries.of("A", "B"), Arbitraries.of("", "n", "m"), names)
			.as(ShardingKey::new);
		Arbitrary<Id> ids = Combinators.combine(mains, names).as(Id::new);
		Arbitrary<String> versions = Arbitraries.of("1", "7", "100000000000", "not-a-number").injectNull(0.3);
		return Combinators.combine(ids, versions).as(Change::new).list().ofMaxSize(300);
	}

	@ParameterizedTest
	@CsvSource({ "demo, object-%06d, object-%06d, 1000",
			// What a ReplicaSet makes, and names as long as a label allows.
			"team-of-somebody-in-production, checksum-controller-6d5f8b7c9d-%06d, checksum-controller-%06d, 1000",
			"n, a-name-that-is-about-as-long-as-a-label-may-be-that-is-%06d, a-name-that-is-about-as-long-as-a-label-may-be-that-is-%06d, 1000",
			// Nothing in common, and a namespace for each.
			"namespace, configuration-%06d, something-else-%06d, 1" })
	void takesAHundredBytesForAnObject(String namespace, String name, String main, int inEachNamespace) {
		fill(OBJECTS, (i) -> main(namespace + "-" + i / inEachNamespace, main.formatted(i)), (i) -> name.formatted(i));
		assertThat(this.index.size()).isEqualTo(OBJECTS);
		assertThat(retained(this.index)).isLessThanOrEqualTo(100L * OBJECTS);
		assertThat(this.index.bytes()).isCloseTo(retained(this.index), Offset.offset(600L));
	}

	@Test
	void isSmallForAShardThatHasLittle() {
		assertThat(retained(this.index)).isLessThan(1024);
	}

	@Test
	void givesBackWhatHasLeft() {
		fill(OBJECTS, (i) -> main("n", "s-" + i), (i) -> "c-" + i);
		for (int i = 0; i < OBJECTS; i++) {
			// A main object is found until all that it has is gone.
			assertThat(this.index.of(main("n", "s-" + i))).containsExactly(new Controlled("c-" + i, "1000000"));
			this.index.remove(main("n", "s-" + i), "c-" + i);
		}
		assertThat(this.index.size()).isZero();
		assertThat(retained(this.index)).isLessThan(100_000);
	}

	@Test
	void doesNotGrowWithChanges() {
		for (int i = 0; i < 1_000_000; i++) {
			// Now and then a version is longer than the one before it.
			this.index.put(main("n", "s-" + i % 100), "c", Integer.toString(i * 7 % 1_000_003));
		}
		assertThat(this.index.size()).isEqualTo(100);
		assertThat(retained(this.index)).isLessThan(100_000);
	}

	private void fill(int count, IntFunction<ShardingKey> mains, IntFunction<String> names) {
		for (int i = 0; i < count; i++) {
			this.index.add(mains.apply(i), names.apply(i), Integer.toString(1_000_000));
		}
	}

	private static ShardingKey main(String namespace, String name) {
		return new ShardingKey("apps", "Deployment", namespace, name);
	}

	/* All that can be reached, as a JVM with compressed references lays it out. */
	private static long retained(ControlledIndex index) {
		return retained(index, Collections.newSetFromMap(new IdentityHashMap<>()));
	}

	private static long retained(Object object, Set<Object> seen) {
		if (!seen.add(object)) {
			return 0;
		}
		long bytes = 0;
		Class<?> type = object.getClass();
		if (type.isArray()) {
			int length = Array.getLength(object);
			Class<?> of = type.getComponentType();
			bytes += 16 + (long) length * ((of == byte.class) ? 1 : 4);
			for (int i = 0; i < length && !of.isPrimitive(); i++) {
				Object element = Array.get(object, i);
				bytes += (element != null) ? retained(element, seen) : 0;
			}
			return bytes;
		}
		if (!type.getPackage().equals(ControlledIndex.class.getPackage())) {
			// The list of kinds.
			return 100;
		}
		bytes += 16;
		for (Field field : type.getDeclaredFields()) {
			if (!Modifier.isStatic(field.getModifiers())) {
				bytes += 8;
				bytes += field.getType().isPrimitive() ? 0 : retained(value(field, object), seen);
			}
		}
		return bytes;
	}

	private static Object value(Field field, Object object) {
		try {
			field.setAccessible(true);
			return field.get(object);
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private record Id(ShardingKey main, String name) {
	}

	private record Change(Id id, String version) {
	}

}
