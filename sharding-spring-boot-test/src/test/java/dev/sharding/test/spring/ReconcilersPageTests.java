package dev.sharding.test.spring;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.cache.DeleteOptions;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.Cleaner;
import dev.sharding.controller.Conditions;
import dev.sharding.controller.ControllerCustomizer;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.DeletionListener;
import dev.sharding.controller.EventFilter;
import dev.sharding.controller.EventRecorder;
import dev.sharding.controller.LeaderElectedController;
import dev.sharding.controller.ReconcileContext;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.internal.core.Internal;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the page shows is in the sample, which is built and tested, and what a reconciler
 * can use is on the page.
 */
class ReconcilersPageTests {

	private static final Path PAGE = Path.of("../docs/reconcilers.md");

	private static final Path SAMPLE = Path.of("../samples/website");

	private static final Pattern SNIPPET = Pattern.compile("(?ms)^(?:<!-- (\\S+)#(\\S+) -->\\n)?```\\w+\\n(.*?)^```$");

	@Test
	void showsPiecesOfTheSample() throws IOException {
		Matcher snippets = SNIPPET.matcher(Files.readString(PAGE));
		int shown = 0;
		while (snippets.find()) {
			assertThat(snippets.group(1)).as("source of\n%s", snippets.group(3)).isNotNull();
			assertThat(snippets.group(3)).as("%s#%s", snippets.group(1), snippets.group(2))
				.isEqualTo(region(snippets.group(1), snippets.group(2)));
			shown++;
		}
		assertThat(shown).isGreaterThan(15);
	}

	/**
	 * The lines between the marks, as far to the left as they go, without marks of
	 * others.
	 */
	static String region(String file, String name) throws IOException {
		List<String> lines = Files.readAllLines(SAMPLE.resolve(file));
		int begin = indexOf(lines, 0, "region " + name);
		int end = indexOf(lines, begin, "endregion");
		assertThat(begin).as("region %s of %s", name, file).isNotNegative().isLessThan(end);
		List<String> inside = lines.subList(begin + 1, end);
		int indent = inside.stream()
			.filter((line) -> !line.isBlank())
			.mapToInt((line) -> line.length() - line.stripLeading().length())
			.min()
			.orElse(0);
		return String.join("\n", inside.stream().map((line) -> line.isBlank() ? "" : line.substring(indent)).toList())
				+ "\n";
	}

	private static int indexOf(List<String> lines, int from, String mark) {
		Pattern line = Pattern.compile("\\s*(//|#|<!--) " + mark + "( -->)?");
		for (int i = from; i < lines.size(); i++) {
			if (line.matcher(lines.get(i)).matches()) {
				return i;
			}
		}
		return -1;
	}

	@ParameterizedTest
	@ValueSource(classes = { Reconciler.class, Cleaner.class, Result.class, ShardedController.class,
			LeaderElectedController.class, ControllerCustomizer.class, ControllerSpec.Builder.class, EventFilter.class,
			DeletionListener.class, ResourceCaches.class, ResourceCache.class, ListOptions.class, Freshness.class,
			DeleteOptions.class, Conditions.class, EventRecorder.class, ReconcileContext.class })
	void tellsOfEachMethod(Class<?> type) throws IOException {
		String name = type.getCanonicalName().substring(type.getPackageName().length() + 1);
		Matcher section = Pattern.compile("(?ms)^### " + Pattern.quote(name) + "\\n(.*?)(?=^#|\\z)")
			.matcher(Files.readString(PAGE));
		assertThat(section.find()).as("section '### %s'", name).isTrue();
		Set<String> told = new TreeSet<>();
		for (String row : section.group(1).lines().filter((line) -> line.startsWith("| `")).toList()) {
			Matcher methods = Pattern.compile("`(\\w+)\\(").matcher(row.substring(0, row.indexOf(" | ")));
			while (methods.find()) {
				told.add(methods.group(1));
			}
		}
		assertThat(told).isEqualTo(methodsOf(type));
	}

	private static Set<String> methodsOf(Class<?> type) {
		Set<String> names = new TreeSet<>();
		Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()
					&& !method.isAnnotationPresent(Internal.class))
			.filter((method) -> !isComponent(method))
			.map(Method::getName)
			.filter((name) -> !Set.of("equals", "hashCode", "toString").contains(name))
			.forEach(names::add);
		return names;
	}

	private static boolean isComponent(Method method) {
		return method.getDeclaringClass().isRecord() && Arrays.stream(method.getDeclaringClass().getRecordComponents())
			.anyMatch((component) -> component.getAccessor().equals(method));
	}

}
