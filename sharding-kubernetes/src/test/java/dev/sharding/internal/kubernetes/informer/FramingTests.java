package dev.sharding.internal.kubernetes.informer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.kubernetes.informer.wire.ListPage;
import dev.sharding.internal.kubernetes.informer.wire.ObjectDecoder;
import dev.sharding.internal.kubernetes.informer.wire.ObjectFacts;
import dev.sharding.internal.kubernetes.informer.wire.JsonSlice;
import dev.sharding.internal.kubernetes.informer.wire.UndecodableException;
import dev.sharding.internal.kubernetes.informer.wire.WatchFrame;
import dev.sharding.internal.kubernetes.informer.wire.WatchFrame.Type;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class FramingTests {

	private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

	@ParameterizedTest
	@EnumSource(Type.class)
	void cutsTheObjectOutOfTheUsualLine(Type type) {
		WatchFrame frame = frame("{\"type\":\"%s\",\"object\":{\"a\":{}}}".formatted(type));
		assertThat(frame.type()).isEqualTo(type);
		assertThat(text(frame.object())).isEqualTo("{\"a\":{}}");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"object\":{\"a\":[1,\"}\"]},\"type\":\"ADDED\"}",
			" { \"type\" : \"ADDED\" , \"object\" : {\"a\":[1,\"}\"]} } ",
			"{\"extra\":[{\"type\":\"DELETED\"}],\"type\":\"ADDED\",\"object\":{\"a\":[1,\"}\"]}}\r" })
	void findsTheObjectInAnyOtherLine(String line) {
		WatchFrame frame = frame(line);
		assertThat(frame.type()).isEqualTo(Type.ADDED);
		assertThat(text(frame.object())).isEqualTo("{\"a\":[1,\"}\"]}");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "null", "[]", "{}", "{\"type\":\"ADDED\"}", "{\"type\":\"OTHER\",\"object\":{}}",
			"{\"type\":\"ADDED\",\"object\":", "upstream connect error", "{\"type\":\"ADD" })
	void refusesWhatIsNoEvent(String line) {
		assertThatIllegalArgumentException().isThrownBy(() -> frame(line));
	}

	@Test
	void knowsTheEndMarkByItsAnnotation() {
		assertThat(
				frame("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Secret\",\"metadata\":{\"resourceVersion\":\"64\","
						+ "\"annotations\":{\"other\":\"x\",\"k8s.io/initial-events-end\":\"true\"}}}}")
					.endsInitialEvents())
			.isTrue();
		assertThat(frame("{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"64\"}}}")
			.endsInitialEvents()).isFalse();
		assertThat(frame("{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"annotations\":"
				+ "{\"k8s.io/initial-events-end\":\"false\"}}}}")
			.endsInitialEvents()).isFalse();
	}

	@Test
	void readsTheFactsOfAnObjectThatMayNotFitItsClass() {
		ObjectFacts facts = ObjectFacts.read(slice("{\"spec\":{\"metadata\":{\"name\":\"no\"}},\"metadata\":"
				+ "{\"labels\":{\"name\":\"no\"},\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"7\"}}"));
		assertThat(facts).isEqualTo(new ObjectFacts(new ObjectKey("n", "a"), "u", "7"));
		assertThat(ObjectFacts.read(slice("{\"kind\":\"x\"}")).key()).isEqualTo(new ObjectKey("", ""));
	}

	@Test
	void cutsPages() {
		String body = "{\"kind\":\"SecretList\",\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"abc\","
				+ "\"remainingItemCount\":1},\"items\":[{\"metadata\":{\"name\":\"a\"}}, {\"x\":\"]}\"} ],\"more\":{}}";
		ListPage page = ListPage.of(body.getBytes(StandardCharsets.UTF_8));
		assertThat(page.version()).isEqualTo("9");
		assertThat(page.continueToken()).isEqualTo("abc");
		assertThat(items(page)).containsExactly("{\"metadata\":{\"name\":\"a\"}}", "{\"x\":\"]}\"}");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}",
			"{\"items\":null,\"metadata\":{\"resourceVersion\":\"9\"}}", "{\"metadata\":{\"resourceVersion\":\"9\"}}" })
	void acceptsPagesWithoutItems(String body) {
		ListPage page = ListPage.of(body.getBytes(StandardCharsets.UTF_8));
		assertThat(page.version()).isEqualTo("9");
		assertThat(page.continueToken()).isEmpty();
		assertThat(items(page)).isEmpty();
	}

	@Property
	void findsItsWayAroundAnyText(@ForAll String key, @ForAll String value, @ForAll List<String> more) {
		String inner = SERIALIZATION
			.asJson(Map.of("metadata", Map.of("name", "a", "annotations", Map.of("k" + key, value)), "list", more));
		String line = "{\"type\":\"MODIFIED\",\"object\":" + inner + "}";
		assertThat(text(frame(line).object())).isEqualTo(inner);
		assertThat(text(frame(" " + line).object())).isEqualTo(inner);
		String list = "{\"items\":[" + inner + "," + inner + "],\"metadata\":{\"resourceVersion\":\"3\"}}";
		ListPage page = ListPage.of(list.getBytes(StandardCharsets.UTF_8));
		assertThat(page.version()).isEqualTo("3");
		assertThat(items(page)).containsExactly(inner, inner);
	}

	@Test
	void dropsManagedFieldsBeforeParsing() throws UndecodableException {
		String json = "{\"metadata\":{\"managedFields\":[{\"manager\":\"]\",\"fieldsV1\":{\"f:data\":{}}}],\"name\":\"a\"},"
				+ "\"data\":{\"k\":\"dg==\"}}";
		Secret secret = decoder(ResourceType.of(Secret.class), false).decode(slice(json));
		assertThat(secret.getMetadata().getManagedFields()).isEmpty();
		assertThat(secret.getMetadata().getName()).isEqualTo("a");
		assertThat(secret.getData()).containsEntry("k", "dg==");
		assertThat(secret.getKind()).isEqualTo("Secret");
		Secret kept = decoder(ResourceType.of(Secret.class), true).decode(slice(json));
		assertThat(kept.getMetadata().getManagedFields()).hasSize(1);
	}

	@Test
	void fillsInWhatItemsOfBuiltInListsDoNotSay() throws UndecodableException {
		GenericKubernetesResource secret = decoder(ResourceType.of(Secret.class).generic(), false)
			.decode(slice("{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"dg==\"}}"));
		assertThat(secret.getApiVersion()).isEqualTo("v1");
		assertThat(secret.getKind()).isEqualTo("Secret");
		assertThat(secret.<String>get("data", "k")).isEqualTo("dg==");
		PartialObjectMetadata metadata = decoder(ResourceType.of(Secret.class).metadata(), false)
			.decode(slice("{\"kind\":\"PartialObjectMetadata\",\"metadata\":{\"name\":\"a\"}}"));
		assertThat(metadata.getKind()).isEqualTo("PartialObjectMetadata");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\"},\"data\":\"top-secret\"}",
			"{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\"},\"data\":{\"k\":[\"top-secret\"]}}" })
	void namesTheObjectThatDoesNotFitAndNothingInIt(String json) {
		assertThatExceptionOfType(UndecodableException.class)
			.isThrownBy(() -> decoder(ResourceType.of(Secret.class), false).decode(slice(json)))
			.satisfies((failure) -> {
				assertThat(ObjectFacts.of(failure.metadata()))
					.isEqualTo(new ObjectFacts(new ObjectKey("", "a"), "", "5"));
				assertThat(failure.getMessage()).doesNotContain("top-secret");
			});
	}

	private static <T extends io.fabric8.kubernetes.api.model.HasMetadata> ObjectDecoder<T> decoder(
			ResourceType<T> type, boolean keepManagedFields) {
		return new ObjectDecoder<>(SERIALIZATION, type, keepManagedFields);
	}

	private static List<String> items(ListPage page) {
		List<String> items = new ArrayList<>();
		page.forEach((item) -> items.add(text(item)));
		return items;
	}

	private static WatchFrame frame(String line) {
		return WatchFrame.of(line.getBytes(StandardCharsets.UTF_8));
	}

	private static JsonSlice slice(String json) {
		return JsonSlice.of(json.getBytes(StandardCharsets.UTF_8));
	}

	private static String text(JsonSlice slice) {
		return new String(slice.bytes(), slice.from(), slice.to() - slice.from(), StandardCharsets.UTF_8);
	}

}
