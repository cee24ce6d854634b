package dev.sharding.internal.kubernetes.informer.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import dev.sharding.internal.kubernetes.informer.CountingSerialization;
import dev.sharding.internal.kubernetes.informer.Recorder;
import dev.sharding.internal.kubernetes.informer.wire.ObjectDecoder;
import dev.sharding.internal.kubernetes.informer.wire.ObjectFacts;
import dev.sharding.internal.kubernetes.informer.wire.JsonSlice;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A relist parses what the store does not have, and nothing else; a watch does not parse
 * what own writes brought.
 */
class WatchReaderTests {

	private static final ObjectKey A = new ObjectKey("n", "a");

	private static final String FITS = "{\"k\":\"v\"}";

	private static final String DOES_NOT_FIT = "\"v\"";

	private final CountingSerialization serialization = new CountingSerialization();

	private final Recorder<ConfigMap> recorder = new Recorder<>();

	private final Map<String, Integer> indexed = new HashMap<>();

	private final Store<ConfigMap> store = new Store<>(Set.of(), Map.of("name", indexer()), this.recorder::onEvent);

	private final StorePart<ConfigMap> part = this.store.parts().get(0);

	private final ObjectDecoder<ConfigMap> decoder = new ObjectDecoder<>(this.serialization,
			ResourceType.of(ConfigMap.class), false);

	private final WatchReader<ConfigMap> reader = new WatchReader<>("test", this.serialization, this.decoder,
			this.part);

	/** Kept alive, as the reads of own writes would. */
	private final List<ConfigMap> answers = new ArrayList<>();

	@Test
	void aRelistThatChangesNothingParsesNothing() {
		list(10, object("a", "1", 3, FITS), object("b", "2", 4, FITS));
		assertThat(this.serialization.parsed()).isEqualTo(2);
		ConfigMap stored = stored();
		list(20, object("a", "1", 3, FITS), object("b", "2", 4, FITS));
		assertThat(this.serialization.parsed()).isZero();
		assertThat(stored()).isSameAs(stored);
		assertThat(this.recorder.words()).containsExactlyInAnyOrder("added a", "added b");
		assertThat(this.indexed).containsOnly(Map.entry("a", 1), Map.entry("b", 1));
		assertThat(this.store.watermark()).isEqualTo("20");
	}

	@Test
	void aRelistParsesWhatChangedAndWhatIsNew() {
		list(10, object("a", "1", 3, FITS), object("b", "2", 4, FITS), object("gone", "3", 5, FITS));
		this.serialization.parsed();
		list(20, object("a", "1", 11, "{\"k\":\"w\"}"), object("b", "2", 4, FITS), object("c", "4", 12, FITS));
		assertThat(this.serialization.parsed()).isEqualTo(2);
		assertThat(stored().getData()).containsEntry("k", "w");
		assertThat(this.recorder.words()).containsExactlyInAnyOrder("added a", "added b", "added gone", "removed gone",
				"updated a", "added c");
		assertThat(this.indexed).containsEntry("a", 2).containsEntry("b", 1).containsEntry("c", 1);
	}

	@Test
	void aNamesakeInTheSameVersionIsParsed() {
		list(10, object("a", "1", 3, FITS));
		this.serialization.parsed();
		list(20, object("a", "2", 3, FITS));
		assertThat(this.serialization.parsed()).isEqualTo(1);
		assertThat(stored().getMetadata().getUid()).isEqualTo("2");
		assertThat(this.recorder.words()).containsExactly("added a", "removed a", "added a");
	}

	@Test
	void aNameWithAnEscapedLetterIsKnownByIt() {
		list(10, object("a\\u0026b", "1", 3, FITS));
		assertThat(this.store.get(new ObjectKey("n", "a&b"))).isNotNull();
		this.serialization.parsed();
		list(20, object("a\\u0026b", "1", 3, FITS));
		assertThat(this.serialization.parsed()).isZero();
		list(30, object("a\\u0026b", "1", 4, DOES_NOT_FIT));
		assertThat(this.store.undecodable(new ObjectKey("n", "a&b"))).isNotNull();
	}

	@Test
	void whatDidNotFitIsTriedAnewByEveryRelistAndToldOnce() {
		list(10, object("a", "1", 3, DOES_NOT_FIT));
		list(20, object("a", "1", 3, DOES_NOT_FIT));
		assertThat(this.serialization.parsed()).isEqualTo(2);
		assertThat(this.store.undecodable()).hasSize(1);
		assertThat(this.recorder.words()).containsExactly("undecodable a");
		list(30, object("a", "1", 3, FITS));
		assertThat(this.store.undecodable()).isEmpty();
		assertThat(this.recorder.words()).containsExactly("undecodable a", "added a");
	}

	@Test
	void theLastStateThatDidFitIsNotTakenForThePresentOne() {
		list(10, object("a", "1", 3, FITS));
		list(20, object("a", "1", 11, DOES_NOT_FIT));
		list(30, object("a", "1", 11, DOES_NOT_FIT));
		assertThat(this.serialization.parsed()).isEqualTo(3);
		assertThat(stored().getMetadata().getResourceVersion()).isEqualTo("3");
		assertThat(this.store.undecodable(A)).isNotNull();
		assertThat(this.recorder.words()).containsExactly("added a", "undecodable a");
		// As after a restore of etcd.
		list(5, object("a", "1", 3, FITS));
		assertThat(this.store.undecodable()).isEmpty();
		assertThat(stored().getMetadata().getResourceVersion()).isEqualTo("3");
	}

	@Test
	void whatAnOwnWriteBroughtIsNotParsedAgain() {
		ConfigMap answer = answered(object("a", "1", 3, FITS));
		this.reader.store(slice(object("a", "1", 3, FITS)), false);
		assertThat(this.serialization.parsed()).isZero();
		assertThat(stored()).isSameAs(answer);
		assertThat(this.recorder.words()).containsExactly("added a");
		assertThat(this.indexed).containsOnly(Map.entry("a", 1));
		assertThat(this.store.watermark()).isEqualTo("3");
	}

	@Test
	void aListDoesNotParseItEither() {
		ConfigMap answer = answered(object("a", "1", 3, FITS));
		list(10, object("a", "1", 3, FITS));
		assertThat(this.serialization.parsed()).isZero();
		assertThat(stored()).isSameAs(answer);
	}

	@Test
	void anotherStateThanAnOwnWriteBroughtIsParsed() {
		answered(object("a", "1", 3, FITS));
		this.reader.store(slice(object("a", "2", 3, "{\"k\":\"namesake\"}")), false);
		assertThat(stored().getData()).containsEntry("k", "namesake");
		this.reader.store(slice(object("a", "1", 4, "{\"k\":\"later\"}")), false);
		assertThat(stored().getData()).containsEntry("k", "later");
		assertThat(this.serialization.parsed()).isEqualTo(2);
	}

	@Test
	void theStateThatAnOwnWriteTookOutOfTheScopeIsParsed() {
		list(10, object("a", "1", 3, "{\"k\":\"before\"}"));
		answered(object("a", "1", 11, FITS));
		this.reader.store(slice(object("a", "1", 11, "{\"k\":\"before\"}")), true);
		assertThat(this.serialization.parsed()).isEqualTo(1);
		assertThat(this.store.get(A)).isNull();
		assertThat(this.recorder.words()).containsExactly("added a", "removed a");
	}

	@Test
	void aVersionWithoutOrderNamesNoState() {
		String opaque = object("a", "1", 3, FITS).replace("\"3\"", "\"x-3\"");
		answered(opaque);
		this.reader.store(slice(opaque), false);
		assertThat(this.serialization.parsed()).isEqualTo(1);
	}

	@Test
	void anAnswerFromBeforeARestoreOfEtcdNamesNoState() {
		list(10, object("a", "1", 3, FITS));
		answered(object("a", "1", 12, FITS));
		list(5, object("a", "1", 3, FITS));
		this.reader.store(slice(object("a", "1", 12, "{\"k\":\"after\"}")), false);
		assertThat(stored().getData()).containsEntry("k", "after");
	}

	@Test
	void onlyWhatWasToldSinceAWriteWasSentIsItsAnswer() {
		list(10, object("a", "1", 3, FITS));
		ConfigMap before = stored();
		this.reader.store(slice(object("a", "1", 12, "{\"k\":\"told\"}")), false);
		ObjectFacts answer = ObjectFacts.read(slice(object("a", "1", 12, FITS)));
		assertThat(this.store.toldSince(before, answer)).isSameAs(stored());
		assertThat(this.store.toldSince(null, answer)).isSameAs(stored());
		// As after a restore of etcd, of which nobody knows yet.
		assertThat(this.store.toldSince(stored(), answer)).isNull();
		assertThat(this.store.toldSince(before, ObjectFacts.read(slice(object("a", "1", 13, FITS))))).isNull();
		assertThat(this.store.toldSince(before, ObjectFacts.read(slice(object("a", "2", 12, FITS))))).isNull();
		String opaque = object("b", "3", 3, FITS).replace("\"3\"", "\"x-3\"");
		this.reader.store(slice(opaque), false);
		assertThat(this.store.toldSince(null, ObjectFacts.read(slice(opaque)))).isNull();
	}

	private ConfigMap answered(String object) {
		ConfigMap answer = this.decoder.decode(slice(object));
		this.answers.add(answer);
		this.store.answers().add(answer);
		this.serialization.parsed();
		return answer;
	}

	private static JsonSlice slice(String object) {
		return JsonSlice.of(object.getBytes(StandardCharsets.UTF_8));
	}

	private ConfigMap stored() {
		return Objects.requireNonNull(this.store.get(A));
	}

	private void list(int version, String... objects) {
		ListResult<ConfigMap> listed = ListResult.empty();
		for (String object : objects) {
			this.reader.add(listed, slice(object));
		}
		this.part.replace(listed.at(Integer.toString(version)));
	}

	private static String object(String name, String uid, int version, String data) {
		return """
				{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"%s","namespace":"n","uid":"%s",\
				"resourceVersion":"%d"},"data":%s}""".formatted(name, uid, version, data);
	}

	private Function<ConfigMap, Collection<String>> indexer() {
		return (object) -> {
			this.indexed.merge(object.getMetadata().getName(), 1, Integer::sum);
			return List.of(object.getMetadata().getName());
		};
	}

}
