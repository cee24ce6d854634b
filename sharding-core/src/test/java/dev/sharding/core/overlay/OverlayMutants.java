package dev.sharding.core.overlay;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BinaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.jspecify.annotations.Nullable;

/**
 * Compiles the overlay's sources with one rule taken away and plays random interleavings
 * against the result.
 */
final class OverlayMutants {

	private static final String PACKAGE = "dev.sharding.core.overlay.";

	private static final Path SOURCES = Path.of(System.getProperty("basedir", "."),
			"src/main/java/dev/sharding/core/overlay");

	/** Loops, and what collections call for each of their elements. */
	private static final Pattern LOOP = Pattern
		.compile("\\b(for|while) \\(.*\\) \\{|\\.(forEach|removeIf)\\(\\(.*\\) -> \\{");

	private OverlayMutants() {
	}

	/**
	 * Plays up to {@code sequences} interleavings.
	 * @param seed the seed of the first, the others follow
	 * @return how the mutant died, or {@code null} if it survived
	 */
	static @Nullable Death play(Mutant mutant, int sequences, long seed) throws Exception {
		Method play = new MutantLoader(compile(mutant)).loadClass(PACKAGE + "Interleaving")
			.getDeclaredMethod("play", int[].class);
		play.setAccessible(true);
		for (int i = 0; i < sequences; i++) {
			try {
				play.invoke(null, (Object) script(new Random(seed + i)));
			}
			catch (InvocationTargetException ex) {
				return new Death(i + 1, ex.getCause());
			}
		}
		return null;
	}

	/**
	 * Runs a scenario of {@link OverlaySteps} on the overlay as it is.
	 * @return how many rounds of loops it took
	 */
	static long countSteps(String scenario, int size) throws Exception {
		Method play = new MutantLoader(
				compile((file, text) -> LOOP.matcher(text).replaceAll("$0 OverlaySteps.take();")))
			.loadClass(PACKAGE + "OverlaySteps")
			.getDeclaredMethod(scenario, int.class);
		play.setAccessible(true);
		return (long) play.invoke(null, size);
	}

	private static int[] script(Random random) {
		return random.ints(5 + random.nextInt(56), 0, 100_001).toArray();
	}

	private static Map<String, byte[]> compile(Mutant mutant) throws IOException {
		return compile((file, text) -> file.equals(mutant.file()) ? mutant.applyTo(text) : text);
	}

	private static Map<String, byte[]> compile(BinaryOperator<String> change) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		Map<String, ByteArrayOutputStream> classes = new HashMap<>();
		StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, null);
		JavaFileManager files = new ForwardingJavaFileManager<>(standard) {

			@Override
			public JavaFileObject getJavaFileForOutput(Location location, String className, JavaFileObject.Kind kind,
					FileObject sibling) {
				return output(className, classes);
			}

		};
		boolean compiled = compiler.getTask(null, files, null, List.of("-proc:none", "-nowarn"), null, sources(change))
			.call();
		if (!compiled) {
			throw new IllegalStateException("The changed sources do not compile");
		}
		Map<String, byte[]> bytes = new HashMap<>();
		classes.forEach((name, stream) -> bytes.put(name, stream.toByteArray()));
		return bytes;
	}

	private static List<JavaFileObject> sources(BinaryOperator<String> change) throws IOException {
		List<JavaFileObject> sources = new ArrayList<>();
		try (Stream<Path> files = Files.list(SOURCES)) {
			for (Path file : files.sorted().toList()) {
				String text = Files.readString(file);
				String name = file.getFileName().toString();
				sources.add(source(name, change.apply(name, text)));
			}
		}
		return sources;
	}

	private static JavaFileObject source(String name, String text) {
		return new SimpleJavaFileObject(URI.create("string:///" + name), JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return text;
			}

		};
	}

	private static JavaFileObject output(String className, Map<String, ByteArrayOutputStream> classes) {
		return new SimpleJavaFileObject(URI.create("string:///" + className + ".class"), JavaFileObject.Kind.CLASS) {

			@Override
			public OutputStream openOutputStream() {
				return classes.computeIfAbsent(className, (absent) -> new ByteArrayOutputStream());
			}

		};
	}

	/**
	 * A rule that is taken away.
	 *
	 * @param name the rule
	 * @param file the source file
	 * @param find what stands there, exactly once
	 * @param replace what stands there in the mutant
	 */
	record Mutant(String name, String file, String find, String replace) {

		String applyTo(String text) {
			int at = text.indexOf(this.find);
			if (at < 0 || text.indexOf(this.find, at + 1) >= 0) {
				throw new IllegalStateException("Not exactly once in " + this.file + ": " + this.find);
			}
			return text.substring(0, at) + this.replace + text.substring(at + this.find.length());
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	/**
	 * How a mutant died.
	 */
	record Death(int sequences, Throwable cause) {
	}

	/**
	 * Loads mutated classes, and the classes of the test anew on top of them.
	 */
	private static final class MutantLoader extends ClassLoader {

		private final Map<String, byte[]> mutated;

		private MutantLoader(Map<String, byte[]> mutated) {
			super(OverlayMutants.class.getClassLoader());
			this.mutated = mutated;
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				if (loaded != null) {
					return loaded;
				}
				return name.startsWith(PACKAGE) ? define(name) : super.loadClass(name, resolve);
			}
		}

		private Class<?> define(String name) throws ClassNotFoundException {
			byte[] bytes = this.mutated.get(name);
			if (bytes != null) {
				return defineClass(name, bytes, 0, bytes.length);
			}
			try (InputStream stream = getResourceAsStream(name.replace('.', '/') + ".class")) {
				if (stream == null) {
					throw new ClassNotFoundException(name);
				}
				byte[] unchanged = stream.readAllBytes();
				return defineClass(name, unchanged, 0, unchanged.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

}
