package dev.sharding.internal.kubernetes.informer.store;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.sharding.internal.kubernetes.informer.Recorder;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Index functions are the user's: whatever they do costs their own object its place in
 * their own index, and no event.
 */
class IndexTests {

	private static final Function<ConfigMap, Collection<String>> NAME = (map) -> List.of(map.getMetadata().getName());

	private final Recorder<ConfigMap> recorder = new Recorder<>();

	static Stream<Function<ConfigMap, Collection<String>>> hostile() {
		return Stream.of((map) -> List.of(map.getData().get("k")), (map) -> {
			throw new StackOverflowError();
		}, (map) -> {
			throw new SilentException();
		}, (map) -> null, (map) -> Arrays.asList("x", null), (map) -> new AbstractList<>() {

			@Override
			public String get(int index) {
				throw new IllegalStateException("lazy");
			}

			@Override
			public int size() {
				return 1;
			}

		});
	}

	@ParameterizedTest
	@MethodSource("hostile")
	void whatAnIndexFunctionDoesSwallowsNoEvent(Function<ConfigMap, Collection<String>> values) {
		Store<ConfigMap> store = store(Map.of("bad", values, "name", NAME));
		StorePart<ConfigMap> part = store.parts().get(0);
		part.replace(StorePartTests.listed(1, StorePartTests.object("listed", "1", 1)));
		part.put(StorePartTests.object("a", "2", 2));
		part.put(StorePartTests.object("a", "2", 3));
		part.remove(StorePartTests.object("a", "2", 4));
		part.replace(StorePartTests.listed(5));
		assertThat(this.recorder.words()).containsExactly("added listed", "added a", "updated a", "removed a",
				"removed listed");
		assertThat(store.watermark()).isEqualTo("5");
		assertThat(store.unindexed()).isZero();
	}

	@Test
	void findsOneSeveralOneAndNone() {
		Index<ConfigMap> index = new Index<>("i", NAME);
		ObjectKey a = new ObjectKey("n", "a");
		ObjectKey b = new ObjectKey("n", "b");
		ObjectKey c = new ObjectKey("n", "c");
		index.put(a, new Filing(Set.of("v"), null));
		assertThat(index.get("v")).containsExactly(a);
		index.put(b, new Filing(Set.of("v", "w"), null));
		index.put(c, new Filing(Set.of("v"), null));
		index.put(c, new Filing(Set.of("v"), null));
		assertThat(index.get("v")).containsExactlyInAnyOrder(a, b, c);
		index.put(b, new Filing(Set.of("w"), null));
		index.remove(c);
		assertThat(index.get("v")).containsExactly(a);
		assertThat(index.get("w")).containsExactly(b);
		index.put(b, new Filing(Set.of("v"), null));
		index.remove(a);
		index.remove(a);
		assertThat(index.get("v")).containsExactly(b);
		assertThat(index.get("w")).isEmpty();
		index.remove(b);
		assertThat(index.get("v")).isEmpty();
	}

	@Test
	void anObjectThatOneIndexCannotFileIsFoundByTheOthersAndCounted() {
		Store<ConfigMap> store = store(Map.of("bad", hostile().findFirst().orElseThrow(), "name", NAME));
		StorePart<ConfigMap> part = store.parts().get(0);
		part.put(StorePartTests.object("a", "1", 1));
		assertThat(store.byIndex("name", "a")).hasSize(1);
		assertThat(store.byIndex("bad", "v")).isEmpty();
		assertThat(store.unindexed()).isOne();
		part.put(new ConfigMapBuilder(StorePartTests.object("a", "1", 2)).withData(Map.of("k", "v")).build());
		assertThat(store.byIndex("bad", "v")).hasSize(1);
		assertThat(store.unindexed()).isZero();
	}

	@Test
	void whatIsNotKeptIsNotCounted() {
		Store<ConfigMap> store = store(Map.of("bad", hostile().findFirst().orElseThrow()));
		StorePart<ConfigMap> part = store.parts().get(0);
		part.put(StorePartTests.object("a", "1", 5));
		part.remove(StorePartTests.object("a", "1", 7));
		part.put(StorePartTests.object("a", "1", 6));
		assertThat(store.list()).isEmpty();
		assertThat(store.unindexed()).isZero();
	}

	@Test
	void valuesBesideNullAreFiled() {
		Store<ConfigMap> store = store(Map.of("some", (map) -> Arrays.asList(null, "x")));
		store.parts().get(0).put(StorePartTests.object("a", "1", 1));
		assertThat(store.byIndex("some", "x")).hasSize(1);
		assertThat(store.unindexed()).isOne();
	}

	@Test
	void aRemovalTakesAwayWhatWasFiledWhateverTheFunctionSaysNow() {
		List<String> values = new ArrayList<>(List.of("first"));
		Store<ConfigMap> store = store(Map.of("moody", (map) -> values));
		StorePart<ConfigMap> part = store.parts().get(0);
		part.put(StorePartTests.object("a", "1", 1));
		values.set(0, "second");
		part.put(StorePartTests.object("a", "1", 2));
		assertThat(store.byIndex("moody", "first")).isEmpty();
		assertThat(store.byIndex("moody", "second")).hasSize(1);
		values.set(0, "third");
		part.remove(StorePartTests.object("a", "1", 3));
		part.put(StorePartTests.object("a", "2", 4));
		assertThat(store.byIndex("moody", "second")).isEmpty();
	}

	/** Else one that blocks would hold up all readers, and the stop. */
	@Test
	void readersDoNotWaitForAnIndexFunction() {
		List<Store<ConfigMap>> made = new ArrayList<>();
		Store<ConfigMap> store = store(Map.of("slow", (map) -> {
			int size = CompletableFuture.supplyAsync(() -> made.get(0).list().size())
				.orTimeout(10, TimeUnit.SECONDS)
				.join();
			return List.of("seen " + size);
		}));
		made.add(store);
		StorePart<ConfigMap> part = store.parts().get(0);
		part.replace(StorePartTests.listed(1, StorePartTests.object("a", "1", 1)));
		part.put(StorePartTests.object("b", "2", 2));
		assertThat(store.byIndex("slow", "seen 0")).hasSize(1);
		assertThat(store.byIndex("slow", "seen 1")).hasSize(1);
	}

	private Store<ConfigMap> store(Map<String, Function<ConfigMap, Collection<String>>> indexers) {
		return new Store<>(Set.of(), indexers, this.recorder::onEvent);
	}

	/** Fails when it is asked what it says. */
	private static final class SilentException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		@Override
		public String getMessage() {
			throw new IllegalStateException("planned");
		}

	}

}
