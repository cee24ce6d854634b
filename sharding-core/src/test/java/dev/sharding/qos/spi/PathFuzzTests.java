package dev.sharding.qos.spi;

import java.util.Arrays;
import java.util.List;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Paths are read in place, by spans; here by splitting, as anybody would.
 */
class PathFuzzTests {

	@Property
	void readsTargetsAsSplittingDoes(@ForAll("paths") String path) {
		List<String> parts = Arrays.stream(path.split("/")).filter((part) -> !part.isEmpty()).toList();
		boolean core = part(parts, 0).equals("api");
		int at = core ? 1 : 2;
		RequestTarget target = RequestTarget.parse(path);
		if ((!core && !part(parts, 0).equals("apis")) || part(parts, at + 1).isEmpty()) {
			assertThat(target).isNull();
			return;
		}
		boolean namespaced = part(parts, at + 1).equals("namespaces") && !part(parts, at + 3).isEmpty()
				&& !List.of("status", "finalize").contains(part(parts, at + 3));
		int resource = namespaced ? at + 3 : at + 1;
		assertThat(target.group()).isEqualTo(core ? "" : part(parts, 1));
		assertThat(target.version()).isEqualTo(part(parts, at));
		assertThat(target.namespace()).isEqualTo(namespaced ? part(parts, at + 2) : "");
		assertThat(target.resource()).isEqualTo(part(parts, resource));
		assertThat(target.name()).isEqualTo(part(parts, resource + 1));
		assertThat(target.subresource()).isEqualTo(part(parts, resource + 2));
	}

	@Property
	void readsAPrefixOrRefusesIt(@ForAll("paths") String path) {
		PathPrefix prefix;
		try {
			prefix = PathPrefix.parse(path);
		}
		catch (IllegalArgumentException expected) {
			assertThat(expected).hasMessageContaining(path);
			return;
		}
		assertThat(PathPrefix.parse(prefix.text())).isEqualTo(prefix);
	}

	private static String part(List<String> parts, int index) {
		return (index < parts.size()) ? parts.get(index) : "";
	}

	@Provide
	Arbitrary<String> paths() {
		Arbitrary<String> part = Arbitraries.frequencyOf(Tuple.of(4, Arbitraries.of("api", "apis", "registry",
				"namespaces", "v1", "a.b", "pods", "status", "finalize", "", "/")),
				Tuple.of(1, Arbitraries.strings().ofMaxLength(4)));
		return part.list().ofMaxSize(9).map((parts) -> "/" + String.join("/", parts));
	}

}
