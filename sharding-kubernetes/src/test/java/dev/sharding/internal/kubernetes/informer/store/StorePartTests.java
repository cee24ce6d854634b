package dev.sharding.internal.kubernetes.informer.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.kubernetes.informer.Recorder;
import dev.sharding.internal.kubernetes.informer.wire.ObjectFacts;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class StorePartTests {

	private final Recorder<ConfigMap> recorder = new Recorder<>();

	private final Store<ConfigMap> store = new Store<>(Set.of(),
			Map.of("version", (object) -> List.of(object.getMetadata().getResourceVersion())), this.recorder::onEvent);

	private final StorePart<ConfigMap> part = this.store.parts().get(0);

	@Test
	void addsUpdatesAndRemoves() {
		this.part.put(object("a", "1", 1));
		this.part.put(object("a", "1", 2));
		this.part.remove(object("a", "1", 3));
		assertThat(this.recorder.words()).containsExactly("added a", "updated a", "removed a");
		assertThat(this.recorder.events(InformerEvent.Removed.class)).singleElement().satisfies((removed) -> {
			assertThat(removed.last()).isEqualTo(object("a", "1", 3));
			assertThat(removed.finalStateUnknown()).isFalse();
		});
		assertThat(this.store.watermark()).isEqualTo("3");
		assertThat(this.store.size()).isZero();
	}

	@Test
	void ignoresWhatItKnows() {
		this.part.put(object("a", "1", 9));
		this.part.put(object("a", "1", 8));
		this.part.put(object("b", "2", 7));
		this.part.remove(object("a", "1", 9));
		this.part.bookmark("9");
		assertThat(this.recorder.words()).containsExactly("added a");
		assertThat(this.recorder.events()).hasSize(1);
		assertThat(this.store.watermark()).isEqualTo("9");
	}

	@Test
	void tellsNothingAboutRemovalsOfWhatItNeverHad() {
		this.part.remove(object("a", "1", 4));
		assertThat(this.recorder.events()).isEmpty();
		assertThat(this.store.watermark()).isEqualTo("4");
	}

	@Test
	void tellsANamesakeFromAnUpdate() {
		this.part.put(object("a", "1", 1));
		this.part.put(object("a", "2", 5));
		assertThat(this.recorder.words()).containsExactly("added a", "removed a", "added a");
		assertThat(this.recorder.events(InformerEvent.Removed.class)).singleElement().satisfies((removed) -> {
			assertThat(removed.last()).isEqualTo(object("a", "1", 1));
			assertThat(removed.finalStateUnknown()).isTrue();
		});
	}

	@Test
	void movesTheWatermarkByBookmarks() {
		this.part.bookmark("100");
		assertThat(this.store.watermark()).isEqualTo("100");
		assertThat(this.recorder.events()).containsExactly(new InformerEvent.Bookmark<>("", "100"));
	}

	@Test
	void tellsOnlyTheDifferenceOfARelist() {
		ConfigMap same = object("same", "1", 2);
		this.part.replace(listed(10, same, object("changed", "2", 3), object("gone", "3", 4), object("again", "4", 5)));
		assertThat(this.recorder.events(InformerEvent.Added.class)).hasSize(4).allMatch(InformerEvent.Added::initial);
		int before = this.recorder.events().size();
		this.part.relistStarted();
		this.part.replace(listed(20, object("same", "1", 2), object("changed", "2", 12), object("again", "9", 13),
				object("new", "5", 14)));
		List<InformerEvent<ConfigMap>> events = this.recorder.events().subList(before, this.recorder.events().size());
		assertThat(events.get(0)).isEqualTo(new InformerEvent.RelistStarted<>(""));
		assertThat(events.get(events.size() - 1)).isEqualTo(new InformerEvent.RelistFinished<>("", "20"));
		assertThat(events.subList(1, events.size() - 1)).containsExactlyInAnyOrder(
				new InformerEvent.Removed<>(object("gone", "3", 4), true),
				new InformerEvent.Updated<>(object("changed", "2", 3), object("changed", "2", 12), true),
				new InformerEvent.Removed<>(object("again", "4", 5), true),
				new InformerEvent.Added<>(object("again", "9", 13), false),
				new InformerEvent.Added<>(object("new", "5", 14), false));
		assertThat(this.store.get(ObjectKey.of(same))).isSameAs(same);
		assertThat(this.part.relists()).isEqualTo(2);
	}

	@Test
	void goesBackWithTheServerAfterARestore() {
		this.part.replace(listed(100, object("a", "1", 90), object("b", "2", 95)));
		this.part.replace(listed(50, object("a", "1", 40)));
		assertThat(this.store.watermark()).isEqualTo("50");
		this.part.put(object("c", "3", 51));
		assertThat(this.recorder.words()).containsExactlyInAnyOrder("added a", "added b", "removed b", "updated a",
				"added c");
	}

	@Test
	void whatMeetsOneExpectationMeetsThoseBefore() {
		this.part.replace(listed(90, object("a", "1", 80)));
		List<String> met = new ArrayList<>();
		this.part.expect(Expectation.ofVersion("100", () -> met.add("version")));
		assertThat(met).isEmpty();
		this.part
			.expect(new Expectation("103", Map.of(ObjectKey.of(object("a", "1", 80)), "80"), () -> met.add("list")));
		assertThat(met).containsExactlyInAnyOrder("version", "list");
	}

	@Test
	void acceptsVersionsThatCannotBeCompared() {
		this.part.put(withVersion(object("a", "1", 1), "x1"));
		this.part.put(withVersion(object("a", "1", 1), "x2"));
		this.part.put(withVersion(object("a", "1", 1), "x2"));
		assertThat(this.recorder.words()).containsExactly("added a", "updated a");
		assertThat(this.store.watermark()).isEqualTo("x2");
	}

	@Test
	void keepsTheLastStateOfWhatNoLongerFits() {
		this.part.put(object("a", "1", 1));
		this.part.skip(unfit("2"), false);
		assertThat(this.store.list()).containsExactly(object("a", "1", 1));
		assertThat(this.store.undecodable(new ObjectKey("n", "a"))).isEqualTo(unfit("2"));
		assertThat(this.store.watermark()).isEqualTo("2");
		ListResult<ConfigMap> listed = listed(10);
		listed.skip(unfit("9"));
		this.part.replace(listed);
		assertThat(this.store.size()).isEqualTo(1);
		this.part.skip(unfit("11"), true);
		assertThat(this.store.size()).isZero();
		assertThat(this.store.undecodable()).isEmpty();
		assertThat(this.recorder.words()).containsExactly("added a", "undecodable a", "undecodable a", "removed a");
	}

	@Test
	void tellsWhatDoesNotFitOnceAndWhenItFitsAgain() {
		ListResult<ConfigMap> first = listed(10);
		first.skip(unfit("9"));
		this.part.replace(first);
		assertThat(this.store.undecodable()).containsExactly(unfit("9"));
		ListResult<ConfigMap> again = listed(12);
		again.skip(unfit("9"));
		this.part.replace(again);
		this.part.put(object("a", "1", 13));
		assertThat(this.store.undecodable()).isEmpty();
		assertThat(this.recorder.words()).containsExactly("undecodable a", "added a");
	}

	@Test
	void tellsOfWhatFitsAgainWhenNobodyTakesItForUnfitAnyMore() {
		ObjectKey key = new ObjectKey("n", "a");
		List<Boolean> unfit = new ArrayList<>();
		AtomicReference<Store<ConfigMap>> followed = new AtomicReference<>();
		followed.set(new Store<>(Set.of(), Map.of(), (event) -> unfit.add(followed.get().undecodable(key) != null)));
		StorePart<ConfigMap> fed = followed.get().parts().get(0);
		fed.skip(unfit("2"), false);
		fed.put(object("a", "1", 3));
		fed.skip(unfit("4"), false);
		fed.replace(listed(10, object("a", "1", 9)));
		assertThat(unfit).containsExactly(true, false, true, false, false);
	}

	private static ObjectMeta unfit(String version) {
		return new ObjectFacts(new ObjectKey("n", "a"), "1", version).toMetadata();
	}

	@Test
	void replacesOnlyItsOwnNamespace() {
		Store<ConfigMap> two = new Store<>(Set.of("n", "m"), Map.of(), this.recorder::onEvent);
		StorePart<ConfigMap> n = two.parts().stream().filter((each) -> each.contains("n")).findFirst().orElseThrow();
		StorePart<ConfigMap> m = two.parts().stream().filter((each) -> each.contains("m")).findFirst().orElseThrow();
		n.replace(listed(10, object("a", "1", 1)));
		assertThat(two.watermark()).isNull();
		m.replace(listed(12));
		assertThat(two.watermark()).isEqualTo("10");
		assertThat(two.watermark("m")).isEqualTo("12");
		assertThat(two.watermark("other")).isNull();
		m.replace(listed(14));
		assertThat(two.list("n")).hasSize(1);
		n.replace(listed(16));
		assertThat(two.size()).isZero();
	}

	@Test
	void filesObjectsUnderTheirPresentValuesOnly() {
		this.part.put(object("a", "1", 1));
		this.part.put(object("b", "2", 2));
		this.part.put(object("a", "1", 3));
		assertThat(this.store.byIndex("version", "1")).isEmpty();
		assertThat(this.store.byIndex("version", "3")).containsExactly(object("a", "1", 3));
		this.part.remove(object("b", "2", 4));
		assertThat(this.store.byIndex("version", "2")).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> this.store.byIndex("other", "x"))
			.withMessage("No index 'other' (there are [version])");
	}

	@Test
	void readsSeveralThingsOfOneState() {
		this.part.put(object("a", "1", 5));
		String read = this.store.read((view) -> view.watermark() + " " + view.size() + " " + view.list().size());
		assertThat(read).isEqualTo("5 1 1");
	}

	@Test
	void meetsAnExpectationWhenNothingIsMissingAndNothingIsLeft() {
		List<String> met = new ArrayList<>();
		this.part.replace(listed(10, object("old", "1", 3), object("gone", "2", 4)));
		this.part.expect(new Expectation("20", Map.of(new ObjectKey("n", "old"), "15", new ObjectKey("n", "new"), "16"),
				() -> met.add("met")));
		this.part.put(object("old", "1", 15));
		this.part.put(object("new", "3", 16));
		assertThat(met).isEmpty();
		this.part.remove(object("gone", "2", 17));
		assertThat(met).containsExactly("met");
		assertThat(this.store.watermark()).isEqualTo("20");
	}

	@Test
	void meetsAnExpectationByBookmarkByRelistAndAtOnce() {
		List<String> met = new ArrayList<>();
		this.part.expect(new Expectation("5", Map.of(), () -> met.add("first list")));
		this.part.replace(listed(10, object("a", "1", 3)));
		this.part.expect(new Expectation("10", Map.of(), () -> met.add("at once")));
		this.part.expect(new Expectation("20", Map.of(), () -> met.add("bookmark")));
		this.part.expect(new Expectation("30", Map.of(new ObjectKey("n", "b"), "25"), () -> met.add("relist")));
		this.part.bookmark("20");
		this.part.replace(listed(28, object("b", "2", 25)));
		assertThat(met).containsExactly("first list", "at once", "bookmark", "relist");
		assertThat(this.store.watermark()).isEqualTo("30");
	}

	@Test
	void isNotTakenBackBehindAnExpectationByARelistThatBeganEarlier() {
		List<String> met = new ArrayList<>();
		this.part.replace(listed(90, object("a", "1", 50)));
		this.part.relistStarted();
		Map<ObjectKey, String> afterRemoval = Map.of(new ObjectKey("n", "a"), "50");
		this.part.expect(new Expectation("90", afterRemoval, () -> met.add("known")));
		this.part.expect(new Expectation("110", afterRemoval, () -> met.add("compared")));
		assertThat(met).containsExactly("known");
		this.part.replace(listed(100, object("a", "1", 50), object("b", "2", 95)));
		assertThat(met).containsExactly("known");
		this.part.remove(object("b", "2", 105));
		assertThat(met).containsExactly("known", "compared");
		assertThat(this.store.list()).containsExactly(object("a", "1", 50));
		assertThat(this.store.watermark()).isEqualTo("110");
	}

	@Test
	void meetsAnExpectationByTheRelistThatIsUnderWay() {
		List<String> met = new ArrayList<>();
		this.part.replace(listed(90));
		this.part.relistStarted();
		this.part.expect(new Expectation("95", Map.of(), () -> met.add("met")));
		assertThat(this.part.isRelisting()).isTrue();
		this.part.replace(listed(100));
		assertThat(this.part.isRelisting()).isFalse();
		assertThat(met).containsExactly("met");
		assertThat(this.store.watermark()).isEqualTo("100");
	}

	@Test
	void runsWhatWaitsForAListThatStartsLater() {
		List<String> ran = new ArrayList<>();
		this.part.relistStarted();
		this.part.afterNextRelist(() -> ran.add("ran"));
		this.part.replace(listed(10));
		assertThat(ran).isEmpty();
		this.part.relistStarted();
		this.part.replace(listed(11));
		this.part.relistStarted();
		this.part.replace(listed(12));
		assertThat(ran).containsExactly("ran");
	}

	@Test
	void aListThatIsTriedAgainStartsLaterThanWhoWaitsSinceItsFirstTry() {
		List<String> ran = new ArrayList<>();
		this.part.relistStarted();
		this.part.afterNextRelist(() -> ran.add("ran"));
		this.part.relistStarted();
		this.part.replace(listed(10));
		assertThat(ran).containsExactly("ran");
		assertThat(this.recorder.events(InformerEvent.RelistStarted.class)).hasSize(1);
	}

	static ConfigMap object(String name, String uid, int version) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace("n")
			.withName(name)
			.withUid(uid)
			.withResourceVersion(Integer.toString(version))
			.endMetadata()
			.build();
	}

	private static ConfigMap withVersion(ConfigMap object, String version) {
		object.getMetadata().setResourceVersion(version);
		return object;
	}

	static ListResult<ConfigMap> listed(int version, ConfigMap... objects) {
		ListResult<ConfigMap> listed = ListResult.empty();
		for (ConfigMap object : objects) {
			listed.add(object);
		}
		return listed.at(Integer.toString(version));
	}

}
