package dev.sharding.internal.core;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;

import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles what a change of the sources of a package of laws touches, to see whether
 * tests notice.
 */
public final class SourceMutants {

	private SourceMutants() {
	}

	/**
	 * Where the sources of a package are.
	 * @param folder its folder below {@code dev.sharding.internal.core}
	 * @return the folder
	 */
	public static Path sources(String folder) {
		return Path.of(System.getProperty("basedir", "."), "src/main/java/dev/sharding/internal/core", folder);
	}

	/**
	 * Compiles changed sources.
	 * @param sources the folder with the sources of one package
	 * @param prefix the name of the package with a dot: all of its classes, those of
	 * tests as well, are loaded anew
	 * @param change gets the name and text of each file
	 * @return loads the changed classes
	 * @throws IOException if a source cannot be read
	 */
	public static ClassLoader load(Path sources, String prefix, BinaryOperator<String> change) throws IOException {
		return new MutantLoader(prefix, compile(sources, change));
	}

	private static Map<String, byte[]> compile(Path folder, BinaryOperator<String> change) throws IOException {
		List<JavaFileObject> changed = sources(folder, change);
		if (changed.isEmpty()) {
			return Map.of();
		}
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
		boolean compiled = compiler.getTask(null, files, null, List.of("-proc:none", "-nowarn"), null, changed).call();
		if (!compiled) {
			throw new IllegalStateException("The changed sources do not compile");
		}
		Map<String, byte[]> bytes = new HashMap<>();
		classes.forEach((name, stream) -> bytes.put(name, stream.toByteArray()));
		return bytes;
	}

	private static List<JavaFileObject> sources(Path folder, BinaryOperator<String> change) throws IOException {
		List<JavaFileObject> sources = new ArrayList<>();
		try (Stream<Path> files = Files.list(folder)) {
			for (Path file : files.sorted().toList()) {
				String text = Files.readString(file);
				String name = file.getFileName().toString();
				String changed = change.apply(name, text);
				// The others are on the class path as they are.
				if (!changed.equals(text)) {
					sources.add(source(name, changed));
				}
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
	public record Mutant(String name, String file, String find, String replace) {

		/**
		 * Changes the file that the rule is in.
		 * @param source the name of a file
		 * @param text its text
		 * @return the text, changed if it is that file
		 */
		public String applyTo(String source, String text) {
			if (!source.equals(this.file)) {
				return text;
			}
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
	 * Loads mutated classes, and the classes of the test anew on top of them.
	 */
	private static final class MutantLoader extends ClassLoader {

		private final String prefix;

		private final Map<String, byte[]> mutated;

		private MutantLoader(String prefix, Map<String, byte[]> mutated) {
			super(SourceMutants.class.getClassLoader());
			this.prefix = prefix;
			this.mutated = mutated;
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				if (loaded != null) {
					return loaded;
				}
				return name.startsWith(this.prefix) ? define(name) : super.loadClass(name, resolve);
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
